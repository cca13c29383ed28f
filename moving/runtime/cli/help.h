/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/help.h - stands in for runtime/help.h until it moves. */
#pragma once

#include "runtime/help.h"
