/* SPDX-License-Identifier: Apache-2.0 */
/* cow/changes_walk.h - the parts of changes.c's walk. */
#pragma once

#include <stdbool.h>

#include "cow/changes.h"

/* An entry of the upper side that was made readable for the walk. */
struct opened {
	const char *path;
	uint32_t mode;
};

struct walk {
	struct arena *arena;
	const struct sides *sides;
	struct changes *list;
	struct opened *opened;
	size_t nopened, room;
};

/*
 * Open a directory of the upper side for reading; if its owner may not read it,
 * give the right until walk_close_opened(). Record an error.
 */
int walk_open_upper(struct walk *w, const char *path);
/* Give the owner of an entry all rights until walk_close_opened(). */
int walk_grant(struct walk *w, const char *path);
void walk_close_opened(struct walk *w);

/* Find the directories of the workdir that the branch has renamed. */
int walk_find_moved(struct walk *w);
/* True if this directory of the workdir has another path in the branch. */
bool walk_is_moved(const struct walk *w, const char *lower);
/* Return the path of the directory that the branch has moved here; or NULL. */
const char *walk_moved_from(const struct walk *w, const char *path);
/* Show that a directory is gone from this path, with all below it. */
int walk_show_moved_away(struct walk *w, const char *path,
			 const struct tree_entry *old);

/*
 * Add a change of this kind for all that the workdir has below `lower`; the
 * owner includes it.
 */
int walk_show_below(struct walk *w, struct change *owner, const char *lower,
		    char kind);
/* An entry that only the workdir has, in an opaque or renamed directory. */
int walk_lower_only(struct walk *w, const char *dir, const char *lower_dir,
		    const char *name, int lower, bool deleted);

/* True if the overlay made the upper file of the lower one of that name. */
bool walk_is_copy(const struct sides *sides, int upper, int lower,
		  const char *name);
/* True if the file that the overlay copied is deleted meanwhile. */
bool walk_origin_is_gone(const struct sides *sides, int upper,
			 const char *name);
