/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/workdirs.h - the workdirs of one sandbox, each with its branch, from
 * before the start until the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"
#include "cow/branch.h"

struct arena;
struct writer;

struct workdir {
	const char *path;	/* on the host, without links */
	struct strings options; /* of the overlay */
	struct branch branch;
	bool made;	   /* for this sandbox */
	bool kept;	   /* stays on disk when the workdirs are closed */
	bool joined;	   /* had a branch before: run in it again */
	size_t nchanges;   /* that were committed */
	const char *ended; /* "committed", "aborted", "kept"; NULL: not yet */
	const char *why;   /* it was kept for another reason than asked for */
};

struct workdirs {
	struct arena *arena;
	struct workdir *items;
	size_t n;
};

struct workdirs_wishes {
	const struct strings *paths; /* absolute; links are resolved */
	const char *storage;	     /* config.fs_storage, or NULL */
	const char *name;	     /* of the branch; NULL: made up */
	bool again;		     /* the branch exists: run in it */
	bool privileged;	     /* the overlay is mounted by root */
	int proc;
};

/* What happens to the branches at the end. */
enum workdirs_end { WORKDIRS_COMMIT, WORKDIRS_ABORT, WORKDIRS_KEEP };

/*
 * Check the workdirs without making anything: directories, one not below
 * another, and no mount below. ret->items[].path is set.
 */
int workdirs_find(struct arena *arena, const struct workdirs_wishes *wishes,
		  struct workdirs *ret);
/* Make their branches; after a failure none is left. */
int workdirs_open(const struct workdirs_wishes *wishes,
		  struct workdirs *workdirs);
/* The sandbox may have written from now on: a crash keeps the branches. */
void workdirs_begin(struct workdirs *workdirs);
/*
 * Do what was asked for. A branch that cannot be sealed or committed is kept,
 * with the reason; the first such error is returned.
 */
int workdirs_finish(struct workdirs *workdirs, enum workdirs_end end);
/* Print one line for each workdir: how its branch has ended. */
void workdirs_tell(const struct workdirs *workdirs, int fd);
/* Write them as an array. */
void workdirs_put(struct writer *w, const char *key,
		  const struct workdirs *workdirs);
/* Remove branches that no sandbox has written to; release the others. */
void workdirs_close(struct workdirs *workdirs);
/* Return the one at this path; NULL if it is no workdir. */
const struct workdir *workdirs_at(const struct workdirs *workdirs,
				  const char *path);
