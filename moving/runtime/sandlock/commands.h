/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/commands.h - stands in for runtime/sandlock.h until it moves. */
#pragma once

#include "runtime/sandlock.h"
