/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/conflict.h - changes of a branch to files that others have changed in the
 * workdir since the branch was opened.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"
#include "cow/changes.h"

/* Paths of the workdir; a directory means everything below it. */
struct conflict_wishes {
	bool all_ours;	 /* take the branch's version of every file */
	bool all_theirs; /* keep the workdir's version */
	struct strings ours, theirs;
};

/*
 * Say in each change why it must not be applied. An edit that others have made
 * in the same way is no conflict, and no change any more.
 */
int conflict_find(struct arena *arena, const struct sides *sides,
		  struct changes *changes);
/*
 * Resolve conflicts as asked, drop changes whose file others keep; return the
 * number of conflicts that are left.
 */
size_t conflict_resolve(struct changes *changes,
			const struct conflict_wishes *wishes);
