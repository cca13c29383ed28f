/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/commands.h - the commands of `sandlock`, one file each. */
#pragma once

#include "runtime/cli/command.h"
#include "runtime/cli/dispatch.h"
#include "runtime/container/session.h"

struct arena;
struct strings;
struct request_arguments;

extern const struct command sandlock_run, sandlock_explain, sandlock_check,
	sandlock_profile, sandlock_wrap, sandlock_ps, sandlock_inspect,
	sandlock_kill, sandlock_completion;

/* All of them, for --help and completion. */
extern const struct command_set sandlock_commands;

/*
 * Get the command line "sandlock run …" for the parsed arguments; argv is what
 * was parsed.
 */
int wrap_arguments(struct arena *arena, const struct request_arguments *args,
		   char **argv, struct strings *ret);
