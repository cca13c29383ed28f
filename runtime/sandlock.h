/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock.h - the commands of `sandlock`, for people at a shell: one
 * file each.
 */
#pragma once

#include "runtime/commands.h"

extern const struct command sandlock_run;
