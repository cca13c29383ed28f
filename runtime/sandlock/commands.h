/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/commands.h - the commands of `sandlock`, one file each. */
#pragma once

#include "runtime/cli/command.h"
#include "runtime/cli/dispatch.h"
#include "runtime/container/session.h"

extern const struct command sandlock_run, sandlock_explain, sandlock_check,
	sandlock_profile, sandlock_wrap, sandlock_ps, sandlock_inspect,
	sandlock_kill, sandlock_update, sandlock_events, sandlock_ports,
	sandlock_seatbelt, sandlock_branch, sandlock_completion;

/* All of them, for --help and completion. */
extern const struct command_set sandlock_commands;
