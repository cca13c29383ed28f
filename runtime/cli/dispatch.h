/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/dispatch.h - find a command, run it, print its error; for all
 * programs.
 */
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

/* Return NULL with an error that names the help. */
const struct command *dispatch_find(const struct command_set *program,
				    const char *name);
/* Parse the arguments of a command and run it. */
int dispatch_run(struct arena *arena, const struct command_set *program,
		 const struct command *command, const struct session *session,
		 int argc, char **argv);
/* Print the error of a command, if any; return its exit status. */
int dispatch_finish(int r, int failure);
