/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/sandbox.h - stands in for runtime/sandbox.h until it moves. */
#pragma once

#include "runtime/sandbox.h"
