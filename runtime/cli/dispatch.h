/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/dispatch.h - what the programs of this room do alike: find a command, run it, print its error. */
#pragma once

#include <stddef.h>

#include "runtime/cli/command.h"

struct arena;
struct option_table;

struct command_set {
	const char *name;
	const char *help;		    /* one line */
	const struct option_table *options; /* before the command */
	const struct command *const *commands;
	size_t ncommands;
};

/* NULL, with an error that says how to find out more. */
const struct command *dispatch_find(const struct command_set *program,
				    const char *name);
/* Parse the words behind the command's name and run it. */
int dispatch_run(struct arena *arena, const struct command_set *program,
		 const struct command *command, const struct session *session,
		 int argc, char **argv);
/* The exit status of one command, its error printed. */
int dispatch_finish(int r, int failure);
