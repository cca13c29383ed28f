/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/options.h - stands in for runtime/options.h until it moves. */
#pragma once

#include "runtime/options.h"
