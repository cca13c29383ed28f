/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/covered.h - keep denied names covered while a container runs.
 *
 * When a process outside replaces or removes a file, the kernel removes the
 * mounts on it from all other mount namespaces. So the process that waits for a
 * container watches the directories of its denied names, and covers a name
 * again after a change. Until then a process inside can open the new file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "confine/masks.h"

struct mountinfo;

struct covered_name {
	const char *path;   /* inside, without links */
	uint32_t rights;    /* denied; 0: the mount only keeps its place */
	bool absent;	    /* its placeholder must be invisible */
	const char *target; /* of a link that leads to a denied path; or NULL */
	bool directory;	    /* when it was last covered */
	bool may_be_linked; /* another hard link of it is no error */
	const void *user;   /* for `place` */
	uint64_t mount;	    /* ID of the mount on it; 0: not covered */
	bool waited;	    /* for a change of its present state */
	bool unmade;	    /* missing, and nobody inside can make it */
	uint32_t times;	    /* how often it was covered again */
	uint32_t reported;  /* times at the last report */
};

/* A directory on the way to a name. */
struct covered_dir {
	const char *path;
	int watch; /* of inotify; -1: none */
	dev_t device;
	ino_t inode;
};

struct covered_input {
	struct covered_name *names; /* parents come first; in its memory */
	size_t n;
	const struct mountinfo *mounts; /* without those on the names */
	int proc;			/* our own /proc */
	int root;			/* the container's */
	int userns, mntns;		/* the container's; -1: our own */
	int state;			/* for `place` */
	/*
	 * Make an empty file under a name that is gone. Return 1 if neither the
	 * caller nor the container can.
	 */
	int (*place)(void *ctx, const struct covered_name *name);
	void *ctx;
};

struct covered {
	/*
	 * Of everything below that changes. A child may cover the names, and
	 * this process must know the result.
	 */
	struct arena memory;
	struct covered_name *names;
	size_t n;
	struct covered_dir *dirs;
	size_t ndirs;
	int (*place)(void *ctx, const struct covered_name *name);
	void *ctx;
	int events; /* readable after a change; -1: nothing is watched */
	int proc, root, userns, mntns, state;
	int workshop; /* a mount namespace for the masks; -1: not made yet */
	struct masks masks; /* in there */
	char *stack;	    /* of a process that enters the container */
	char *why;	    /* of a failure */
	size_t at;	    /* the name that needs something */
	int linked;	    /* a file with several hard links; or -1 */
};

#define COVERED_NONE                                                           \
	{                                                                      \
		.events = -1, .proc = -1, .root = -1, .userns = -1,            \
		.mntns = -1, .state = -1, .workshop = -1, .masks = { -1, -1 }, \
		.linked = -1,                                                  \
	}

#define COVERED_WHY 512

/* Make the memory for the names and what belongs to them. */
int covered_prepare(struct covered *covered);
/*
 * Watch the directories of the names; call this before they are covered, so
 * that no change is lost.
 */
int covered_open(const struct covered_input *input, struct covered *covered);
/* Note the mounts that cover the names now. */
void covered_note(struct covered *covered);
/* Make what is otherwise made when it is first needed. */
int covered_make_masks(struct covered *covered);
/* Read the events. Return 1 if a name may have changed. */
int covered_take_events(struct covered *covered);
/*
 * Cover again what has changed. A child of this process may do this, if the
 * masks are made. After a failure a denied name may be open, so end the
 * container.
 */
int covered_again(struct covered *covered);
/*
 * Return a name that was covered again and not returned since; NULL: there is no
 * other.
 */
const struct covered_name *covered_report(struct covered *covered);
/* Take the events, and cover again. */
int covered_check(struct covered *covered);
void covered_close(struct covered *covered);
