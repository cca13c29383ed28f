/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/arguments.h - the arguments of `run`, `explain` and `wrap` as a request, or their help. */
#pragma once

#include "runtime/cli/command.h"
#include "runtime/sandbox/request.h"

/* The options that are not a policy's, for --help and completion. */
#define ARGUMENTS_NOPTIONS 11
extern const struct option_spec arguments_options[ARGUMENTS_NOPTIONS];

struct request_arguments {
	struct request request; /* json is known even after an error */
	bool help;		/* nothing else is known */
	int nflags;		/* arguments before "--" and the command */
};

int arguments_parse(struct arena *arena, const char *command, int argc,
		    char **argv, struct request_arguments *ret);
/* 1: parsed; 0: the arguments ask for help, and it is printed. */
int arguments_take(struct arena *arena, const struct command *command, int argc,
		   char **argv, struct request_arguments *ret);
