/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/lookup.h - stands in for runtime/sandlock_state.h until it moves. */
#pragma once

#include "runtime/sandlock_state.h"
