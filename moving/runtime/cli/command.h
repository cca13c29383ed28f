/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/command.h - stands in for runtime/commands.h until it moves. */
#pragma once

#include "runtime/commands.h"
