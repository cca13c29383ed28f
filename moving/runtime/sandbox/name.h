/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/name.h - stands in for runtime/sandbox_name.h until it moves. */
#pragma once

#include "runtime/sandbox_name.h"
