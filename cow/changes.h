/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/changes.h - what a branch changes in its workdir: the upper directory of
 * an overlay, compared with the lower one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cow/tree.h"
#include "cow/xattrs.h"

struct arena;

/* The trees of a branch; it is not mounted. */
struct sides {
	int upper;
	int lower; /* the workdir as it is now */
	int index; /* of the overlay: copies of files with several names; or -1 */
	const char *prefix; /* of the overlay's marks */
	int64_t since;	    /* a later ctime (ns): changed outside */
};

/* What is done to the workdir when the change is committed. */
enum change_op {
	CHANGE_NOTHING, /* shown only: another change includes it */
	CHANGE_ADD,	/* the file of the upper directory is moved there */
	CHANGE_REPLACE,
	CHANGE_DELETE,
	CHANGE_MKDIR, /* after what is there was deleted */
	CHANGE_MOVE,  /* a directory of the workdir is moved there */
	CHANGE_LINK,  /* another name of a file of the workdir */
};

enum {
	DIFFERS_TYPE = 1,
	DIFFERS_CONTENT = 2,
	DIFFERS_MODE = 4,
	DIFFERS_OWNER = 8,
	DIFFERS_XATTRS = 16,
	DIFFERS_TIMES = 32,
};

struct change {
	char kind; /* 'A', 'M', 'D'; 0: not shown */
	enum change_op op;
	const char *path;  /* in the workdir, after the commit */
	const char *lower; /* in the workdir now; NULL: not there */
	const char *from;  /* of CHANGE_MOVE: its old path */
	struct tree_entry old, new;
	unsigned int differs;
	bool sets;	      /* a directory that gets new attributes */
	struct xattrs xattrs; /* if it does, or if keeps_xattrs */
	bool stripped;	      /* has marks of the overlay */
	bool keeps_xattrs;    /* has attributes that look like marks */
	bool copied;	      /* the overlay copied it from the workdir */
	size_t link;	      /* of CHANGE_LINK: which of struct links */
	struct change *owner; /* the change that includes this one, or NULL */
	const char *conflict; /* why it must not be applied; NULL: it may */
	bool dropped;	      /* the workdir's version is kept */
};

/* A directory of the workdir that has another name in the branch. */
struct moved {
	const char *from;
	const char *to;
	uint64_t ino;
};

struct changes {
	struct change **items;
	size_t n, room;
	struct moved *moved;
	size_t nmoved, moved_room;
	/* What cannot be committed, in sentences; and what is left out. */
	const char **problems;
	size_t nproblems, problems_room;
	const char **notes;
	size_t nnotes, notes_room;
};

/* Find the changes, sorted by path; neither tree is changed. */
int changes_find(struct arena *arena, const struct sides *sides,
		 struct changes *ret);

/* For links.c: append a change, a problem, a note; false: no memory. */
struct change *changes_add(struct arena *arena, struct changes *list);
int changes_note(struct arena *arena, struct changes *list, const char *text);
int changes_problem(struct arena *arena, struct changes *list,
		    const char *text);
/* Compare two regular files, byte by byte; -errno. */
int changes_same_bytes(int dir_a, const char *a, int dir_b, const char *b);
