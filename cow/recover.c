/* SPDX-License-Identifier: Apache-2.0 */
/* cow/recover.c - finish commits that were interrupted, and say so. */
#include "cow/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/util.h"
#include "cow/branch.h"
#include "cow/commit.h"
#include "cow/remove.h"
#include "cow/storage.h"
#include "cow/tree.h"

#define DEAD ".dead-" /* as branch_remove() names them */

int recover_branch(struct arena *arena, struct branch *branch)
{
	enum commit_recovery done;
	int r = commit_recover(arena, branch, &done);

	if (r < 0)
		return r;
	if (done == RECOVER_FINISHED)
		log_hint("branch %s: finished its commit", branch->name);
	if (done == RECOVER_CONFLICTS)
		log_notice("branch %s: finished its commit, but for files that "
			   "others changed meanwhile; they are still in it",
			   branch->name);
	return done == RECOVER_FINISHED;
}

int recover_name(struct arena *arena, const char *name)
{
	autobranch struct branch branch = BRANCH_NONE;
	int r = branch_open(arena, name, &branch);

	if (r >= 0)
		r = branch_lock(arena, &branch);
	return r < 0 ? r : recover_branch(arena, &branch);
}

/* Remove branches in a storage whose removal was interrupted. */
static void sweep(struct arena *arena, int storage)
{
	struct tree_names names;

	if (tree_names(arena, storage, &names) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		struct tree_entry entry;

		if (starts_with(names.items[i], DEAD) &&
		    tree_stat(storage, names.items[i], &entry) == 0 &&
		    entry.uid == geteuid())
			(void)remove_tree(storage, names.items[i]);
	}
}

/* A name that leads nowhere is the last trace of a branch stored elsewhere. */
static void sweep_name(struct arena *arena, int home, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(home, name, target, sizeof target - 1);
	autoclose int storage = -1;
	char *slash;

	if (len <= 0)
		return;
	target[len] = '\0';
	slash = strrchr(target, '/');
	if (!slash || faccessat(AT_FDCWD, target, F_OK, 0) == 0)
		return;
	*slash = '\0';
	storage = open(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (storage >= 0)
		sweep(arena, storage);
	if (ends_with(target, "/" STORAGE_NAME))
		(void)rmdir(target);
	(void)unlinkat(home, name, 0);
}

static void sweep_all(struct arena *arena, const struct strings *names)
{
	const char *path;
	int r = branch_home(arena, &path);
	autoclose int home = r < 0 ? -1 :
				     open(path, O_RDONLY | O_DIRECTORY |
							O_NOFOLLOW | O_CLOEXEC);

	if (home >= 0)
		sweep(arena, home);
	for (size_t i = 0; home >= 0 && i < names->n; i++)
		sweep_name(arena, home, names->items[i]);
	err_clear();
}

int recover_all(struct arena *arena)
{
	struct strings names;
	int r = branch_list(arena, &names);

	if (r >= 0)
		sweep_all(arena, &names);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		autobranch struct branch branch = BRANCH_NONE;
		int s = branch_open(arena, names.items[i], &branch);

		if (s >= 0 && (branch.state == BRANCH_COMMITTING ||
			       branch.state == BRANCH_COMMITTED))
			s = recover_name(arena, names.items[i]);
		if (s < 0 && s != -ENOENT && s != -EBUSY)
			log_warning("%s", err_text());
		err_clear();
	}
	return r;
}
