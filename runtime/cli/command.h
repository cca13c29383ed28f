/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/command.h - what a command tells about itself: its options, its
 * arguments, one line of help. main() searches a table of them, parses, and
 * calls run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct session;

enum option_kind {
	OPTION_FLAG,   /* bool */
	OPTION_TEXT,   /* const char * */
	OPTION_LIST,   /* struct strings, grows with each use */
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
	size_t options_size;	/* of the struct that offsets point into */
	int min_args, max_args; /* positionals; max -1: any number */
	bool enters;		/* seen inside: our binary is protected first */
	bool stop_at_args;	/* after the ID the rest is not ours (exec) */
	bool own_words;		/* it parses them itself, --help too */
	/* The exit status, or negative with a recorded error. */
	int (*run)(const struct session *session, const void *options, int argc,
		   char **argv);
	int failure; /* exit status of a recorded error: 1, exec 255 */
};
