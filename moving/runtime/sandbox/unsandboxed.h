/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/unsandboxed.h - stands in for runtime/unsandboxed.h until it moves. */
#pragma once

#include "runtime/unsandboxed.h"
