/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/links.h - files of the workdir with several names that a branch changes.
 *
 * To replace one name would leave the others with the old content. Such a file
 * is changed in place, so that all its names see it. The overlay keeps its copy
 * in its index, if it has one; else each name has a copy of its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cow/changes.h"

struct link {
	uint64_t copy;	    /* inode of the upper side */
	uint64_t real;	    /* inode of the workdir */
	const char *path;   /* a name of it in the workdir now */
	const char *source; /* of the copy: "u:PATH" or "i:NAME" */
	struct tree_entry old, new;
	struct xattrs xattrs; /* of the copy */
	size_t names;	      /* that the workdir has of it */
	bool differs;	      /* must be written */
	bool off;	      /* is replaced like any other file */
};

struct links {
	struct link *items;
	size_t n, room;
};

/* Find them, and change the operations of the changes that name them. */
int links_find(struct arena *arena, const struct sides *sides,
	       struct changes *changes, struct links *ret);
