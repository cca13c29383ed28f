/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/arguments.h - parse the arguments of `run`, `explain` and
 * `wrap` to a request.
 */
#pragma once

#include "runtime/cli/command.h"
#include "runtime/sandbox/request.h"

/* The options that are not flags of a policy, for --help and completion. */
#define ARGUMENTS_NOPTIONS 13
extern const struct option_spec arguments_options[ARGUMENTS_NOPTIONS];

struct request_arguments {
	struct request request; /* json is valid even after an error */
	bool help;		/* the rest is not valid */
	int nflags;		/* arguments before "--" and the command */
};

int arguments_parse(struct arena *arena, const char *command, int argc,
		    char **argv, struct request_arguments *ret);
/* 1: parsed; 0: the arguments ask for help, which is printed. */
int arguments_take(struct arena *arena, const struct command *command, int argc,
		   char **argv, struct request_arguments *ret);
