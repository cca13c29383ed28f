/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/commit.h - make the changes of a branch in its workdir, all or none.
 *
 * Everything that can fail is done first; then the journal appears, and the
 * steps in it are done. A commit that was interrupted is rolled forward by
 * commit_recover().
 */
#pragma once

#include <stddef.h>

#include "cow/changes.h"
#include "cow/conflict.h"

struct arena;
struct branch;

struct commit_result {
	struct changes changes;
	/* Not 0: nothing was applied; the changes say why. */
	size_t conflicts;
	/* Paths that others changed while the commit ran; the branch is kept. */
	const char *const *skipped;
	size_t nskipped;
};

/* Read the changes and conflicts of a branch; nothing is changed. */
int commit_read(struct arena *arena, const struct branch *branch,
		struct changes *ret);
/* Return the number of changes that a user sees. */
size_t commit_count(const struct changes *changes);
/*
 * Commit a branch that is locked by us and sealed, and remove it. A failure
 * leaves either everything as it was, or a commit that must be recovered.
 */
int commit_branch(struct arena *arena, struct branch *branch,
		  const struct conflict_wishes *wishes,
		  struct commit_result *ret);

enum commit_recovery {
	RECOVER_NOTHING,   /* no commit had begun */
	RECOVER_UNDONE,	   /* one was not complete: as if it had not begun */
	RECOVER_FINISHED,  /* rolled forward, the branch is removed */
	RECOVER_CONFLICTS, /* rolled forward, but for what others changed */
};

/* Finish or undo a commit that was interrupted; the branch is locked by us. */
int commit_recover(struct arena *arena, struct branch *branch,
		   enum commit_recovery *ret);
