/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/elevated.h - stands in for runtime/raised.h until it moves. */
#pragma once

#include "runtime/raised.h"
