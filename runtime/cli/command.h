/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/command.h - the commands of sandlock-oci, one file each.
 *
 * A command describes itself: its options, its arguments, one line of help.
 * main() searches the table, parses, and calls run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cgroups/cgroup.h"

struct arena;

/* Options of the program itself, before the command. */
struct globals {
	struct arena *arena;
	const char *root;		/* state directory; never NULL */
	bool root_given;		/* by --root */
	unsigned int given_fds;		/* 3 to 2+this are the caller's */
	char *words;			/* argv as the kernel shows it */
	size_t words_size;
	enum cgroup_manager cgroup_manager;
	int rootless;			/* -1 auto, 0 false, 1 true */
	const char *criu;
	const char *profile;		/* of bundles that name none; or NULL */
	struct oci_strings allow_annotations;	/* keys that touch the host */
};

enum option_kind {
	OPTION_FLAG,			/* bool */
	OPTION_TEXT,			/* const char * */
	OPTION_LIST,			/* struct oci_strings, grows with each use */
	OPTION_NUMBER,			/* unsigned int */
};

struct option_spec {
	const char *name;		/* "pid-file" */
	char letter;			/* 0: none */
	enum option_kind kind;
	size_t offset;			/* into the command's own options struct */
	const char *value;		/* shown in help: "FILE" */
	const char *help;
};

struct command {
	const char *name;
	const char *arguments;		/* "[options] ID [SIGNAL]" */
	const char *help;		/* one line */
	const struct option_spec *options;
	size_t noptions;
	size_t options_size;		/* of the struct that offsets point into */
	int min_args, max_args;		/* positionals; max -1: any number */
	bool enters;			/* seen inside: our binary is protected first */
	bool stop_at_args;		/* after the ID the rest is not ours (exec) */
	bool own_words;			/* it parses them itself, --help too */
	/* The exit status, or negative with a recorded error. */
	int (*run)(const struct globals *globals, const void *options,
		   int argc, char **argv);
	int failure;			/* exit status of a recorded error: 1, exec 255 */
};

extern const struct command command_create, command_start, command_state,
	command_kill, command_delete, command_run, command_exec, command_ps,
	command_list, command_pause, command_resume, command_update,
	command_events, command_spec, command_features, command_checkpoint,
	command_restore;
