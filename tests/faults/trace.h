/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/trace.h - run a command and fail one system call of its tree.
 *
 * A call is named by the task that makes it, in the order in which they come
 * up, and by its number among the calls of that task: unlike a number among all
 * calls, this one names the same call however parent and child are scheduled.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "keepers.h"

#define MOST_CALLS 65536
#define KILLED 0
/* Not the process that makes the call is killed, but a keeper: -2, -3. */
#define KILLED_KEEPER(which) (-2 - (which))

struct call {
	int task;
	int number;
	long nr;
	bool kept; /* made by a keeper, after create had succeeded */
};

/* In memory that the tracing process shares with the asking one. */
struct shot {
	/* What to do: nothing, where no task has the number -1. */
	struct call at;
	int error;  /* or KILLED, or KILLED_KEEPER() */
	bool stays; /* so do all calls of that number afterwards, of anybody */

	/* What came of it. */
	long nr; /* of the call that it hit */
	int hits;
	bool late; /* it hit a keeper, after create had succeeded */
	bool hung;
	bool crashed; /* one of the tree, while it was followed */
	int status;   /* of the command, as from wait */
	size_t n;
	struct call calls[MOST_CALLS];
};

struct target {
	char *const *argv;
	int in, out, err;
	pid_t init; /* a process that is one of the tree, too, or 0 */
	pid_t keepers[KEEPERS]; /* likewise */
	const char *program;	/* a process that executes it is not followed */
};

/* Shared memory for one; dies when there is none. */
struct shot *shot_new(void);

/* All of it ends within `patience` seconds, or has hung. */
void shoot(struct shot *shot, const struct target *target, int patience);
