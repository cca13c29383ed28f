/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/command.h - the description of a command: its options, its
 * arguments, one line of help. main() finds it in a table, parses the
 * arguments, and calls run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct session;

enum option_kind {
	OPTION_FLAG,   /* bool */
	OPTION_TEXT,   /* const char * */
	OPTION_LIST,   /* struct strings, one item for each use */
	OPTION_NUMBER, /* unsigned int */
};

struct option_spec {
	const char *name; /* "pid-file" */
	char letter;	  /* 0: none */
	enum option_kind kind;
	size_t offset;	   /* into the command's own options struct */
	const char *value; /* shown in help: "FILE" */
	const char *help;
};

struct command {
	const char *name;
	const char *arguments; /* "[options] ID [SIGNAL]" */
	const char *help;      /* one line */
	const struct option_spec *options;
	size_t noptions;
	size_t options_size;	/* of the struct for the options */
	int min_args, max_args; /* positionals; max -1: any number */
	bool enters;		/* visible inside: protect our binary first */
	bool stop_at_args;	/* the rest after the ID is not parsed (exec) */
	bool own_words;		/* run parses all arguments, --help included */
	/*
	 * Returns the exit status, or a negative value with a recorded error.
	 */
	int (*run)(const struct session *session, const void *options, int argc,
		   char **argv);
	int failure; /* exit status of a recorded error: 1, exec 255 */
};
