/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/version.h - stands in for runtime/version.h until it moves. */
#pragma once

#include "runtime/version.h"
