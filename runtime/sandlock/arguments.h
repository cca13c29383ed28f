/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/arguments.h - parse the arguments of `run`, `explain` and
 * `wrap` to a request.
 */
#pragma once

#include "runtime/cli/command.h"
#include "runtime/sandbox/request.h"

/* The options that are not flags of a policy, for --help and completion. */
#define ARGUMENTS_NOPTIONS 14
#define ARGUMENTS_EXPLAIN_NOPTIONS (ARGUMENTS_NOPTIONS + 1)
#define ARGUMENTS_WRAP_NOPTIONS (ARGUMENTS_NOPTIONS + 2)
/* The first ones are for all commands, then one of explain, one of wrap. */
extern const struct option_spec arguments_options[ARGUMENTS_WRAP_NOPTIONS];

struct request_arguments {
	struct request request; /* json is valid even after an error */
	bool help;		/* the rest is not valid */
	int nflags;		/* arguments before "--" and the command */
	bool macos;		/* --platform macos, --backend seatbelt */
};

int arguments_parse(struct arena *arena, const char *command, int argc,
		    char **argv, struct request_arguments *ret);
/* 1: parsed; 0: the arguments ask for help, which is printed. */
int arguments_take(struct arena *arena, const struct command *command, int argc,
		   char **argv, struct request_arguments *ret);

/*
 * Get the command line "sandlock run …" for the parsed arguments; argv is what
 * was parsed.
 */
int wrap_arguments(struct arena *arena, const struct request_arguments *args,
		   char **argv, struct strings *ret);
/* Get the command line "sandbox-exec …" for macOS. */
int wrap_seatbelt(struct arena *arena, const struct request *request,
		  struct strings *ret);
