/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/checkpoint/criu.h - stands in for runtime/criu.h until it moves. */
#pragma once

#include "runtime/criu.h"
