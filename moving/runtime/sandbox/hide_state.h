/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/hide_state.h - stands in for runtime/sandbox_state.h until it moves. */
#pragma once

#include "runtime/sandbox_state.h"
