/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/kill.h - stands in for runtime/killing.h until it moves. */
#pragma once

#include "runtime/killing.h"
