/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/dispatch.h - stands in for runtime/dispatch.h until it moves. */
#pragma once

#include "runtime/dispatch.h"
