/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/state_dir.h - stands in for runtime/reserve.h until it moves. */
#pragma once

#include "runtime/reserve.h"
