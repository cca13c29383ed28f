/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/branch.h - the branch of a workdir: what a sandbox has changed below it,
 * until that is committed or thrown away.
 *
 * A branch is a directory (0700) in its storage:
 *
 *   lock     locked (flock) by the process that uses the branch
 *   workdir  a symbolic link whose text is the path of the workdir
 *   meta     JSON, see branch_meta.h
 *   up, wk   upper and work directory of the overlay
 *   sealed   the sandbox has ended, and everything is on disk
 *   journal.tmp, journal, done, trash   of a commit, see journal.h
 *
 * All branches of a user are listed in one directory, the home: a branch that
 * is stored elsewhere has a symbolic link there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct arena;

#define BRANCH_UPPER "up"
#define BRANCH_WORK "wk"
#define BRANCH_SEAL "sealed"
#define BRANCH_JOURNAL_TMP "journal.tmp"
#define BRANCH_JOURNAL "journal"
#define BRANCH_DONE "done"
#define BRANCH_TRASH "trash"

#define BRANCH_NAME_MAX 64

enum branch_state {
	BRANCH_OPEN,	   /* a process uses it, or was killed in this boot */
	BRANCH_SEALED,	   /* can be committed */
	BRANCH_COMMITTING, /* has a journal: must be rolled forward */
	BRANCH_COMMITTED,  /* only the rest must be removed */
	BRANCH_DAMAGED, /* not sealed, and of an earlier boot: data may lack */
};

struct branch {
	const char *name;
	const char *path;    /* of its directory, without links */
	const char *workdir; /* absolute, without links */
	uint64_t device;     /* st_dev and st_ino of the workdir then */
	uint64_t inode;
	/*
	 * The conflict clock: a file of the workdir whose ctime is later has
	 * changed since the branch was opened.
	 */
	struct timespec since;
	int64_t clock_ms; /* CLOCK_REALTIME - CLOCK_BOOTTIME then */
	int64_t created;  /* seconds since 1970 */
	const char *boot_id;
	/*
	 * Of the overlay's own attributes: "trusted.overlay." or
	 * "user.overlay."; what has the other prefix is data of programs.
	 */
	const char *xattr_prefix;
	enum branch_state state;
	/* Why it is damaged, or NULL; then only name, path and dir are sure. */
	const char *problem;
	int dir;  /* its directory */
	int lock; /* -1: not locked by us */
};

#define BRANCH_NONE                   \
	{                             \
		.dir = -1, .lock = -1 \
	}

/* Release descriptors and lock; the branch stays on disk. */
void branch_close(struct branch *branch);
#define autobranch __attribute__((cleanup(branch_close)))

struct branch_wishes {
	const char *name;    /* NULL: made of the workdir's name */
	const char *workdir; /* absolute, without links */
	const char *storage; /* NULL: beside the workdir, else the home */
	bool privileged;     /* the overlay is mounted by root of the host */
};

/* Return the directory that lists the branches of the caller; make nothing. */
int branch_home(struct arena *arena, const char **ret);
/* Fail unless the name can be that of a branch. */
int branch_check_name(const char *name);

/* Make a branch and lock it; after a failure nothing is left. */
int branch_create(struct arena *arena, const struct branch_wishes *wishes,
		  struct branch *ret);
/*
 * Open a branch without locking it; -ENOENT if there is none. One that is not
 * the caller's own is an error; one that is incomplete is BRANCH_DAMAGED.
 */
int branch_open(struct arena *arena, const char *name, struct branch *ret);
/* Lock it and read its state again; -EBUSY if another process uses it. */
int branch_lock(struct arena *arena, struct branch *branch);
/* Write what it contains to disk, then its seal. It is locked by us. */
int branch_seal(struct branch *branch);
/* Remove the seal, to run in the branch again. It is locked by us. */
int branch_unseal(struct branch *branch);
/*
 * Open the workdir; fail if the path leads to another directory than when the
 * branch was made.
 */
int branch_open_workdir(const struct branch *branch);
/* Open the upper directory. */
int branch_open_upper(const struct branch *branch);
/* Remove it from disk and from the home. It is locked by us. */
int branch_remove(struct arena *arena, struct branch *branch);
/* True if the wall clock was set back since: ctimes prove nothing then. */
bool branch_clock_is_back(const struct branch *branch);
const char *branch_state_name(enum branch_state state);

/* ---- branch_list.c ---- */

struct strings;

/* List the names of the caller's branches, sorted. */
int branch_list(struct arena *arena, struct strings *ret);
/*
 * List the directories that contain the caller's branches; the home, too, if it
 * exists.
 */
int branch_storages(struct arena *arena, struct strings *ret);
/* True if another process has locked it: a sandbox runs in it. */
bool branch_is_busy(const struct branch *branch);
/* Return the bytes on disk of everything that it contains. */
int branch_usage(const struct branch *branch, uint64_t *ret);
