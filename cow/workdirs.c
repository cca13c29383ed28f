/* SPDX-License-Identifier: Apache-2.0 */
/* cow/workdirs.c - find the workdirs of a sandbox; make and end their branches. */
#include "cow/workdirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mountinfo.h"
#include "base/util.h"
#include "cow/commit.h"
#include "cow/overlay.h"
#include "oci/write.h"

/* ---- find ---- */

static int find_one(struct arena *arena, const char *given, struct workdir *ret)
{
	autofree char *real = realpath(given, NULL);
	struct stat st;

	if (!real || stat(real, &st) < 0)
		return fail(errno, "config.workdir '%s'", given);
	if (!S_ISDIR(st.st_mode))
		return fail(ENOTDIR, "config.workdir '%s'", given);
	if (streq(real, "/"))
		return fail(0,
			    "config.workdir '%s': the whole root cannot be "
			    "staged: name a directory below it",
			    given);
	if (geteuid() != 0 && st.st_uid != geteuid())
		return fail(EPERM,
			    "config.workdir '%s': belongs to user %u: only "
			    "its owner and root can stage changes of it",
			    given, st.st_uid);
	*ret = (struct workdir){ .path = arena_strdup(arena, real),
				 .branch = BRANCH_NONE };
	return ret->path ? 0 : -ENOMEM;
}

/* A second overlay would show the first one's lower files. */
static int check_apart(const struct workdirs *workdirs,
		       const struct workdir *one)
{
	for (const struct workdir *other = workdirs->items; other < one;
	     other++)
		if (mountinfo_rest(one->path, other->path) ||
		    mountinfo_rest(other->path, one->path))
			return fail(0,
				    "config.workdir '%s' and '%s': one "
				    "contains the other: list the outer one "
				    "only",
				    other->path, one->path);
	return 0;
}

static int check_mounts(const struct workdirs *workdirs, int proc)
{
	struct mountinfo mounts;
	int r = mountinfo_read(workdirs->arena, proc, "self", &mounts);

	for (size_t i = 0; r >= 0 && i < workdirs->n; i++) {
		const char *path = workdirs->items[i].path;
		const char *below = overlay_find_mount(&mounts, path);

		if (below)
			return fail(0,
				    "config.workdir '%s': %s is mounted below "
				    "it, and changes there cannot be staged: "
				    "unmount it, or choose another workdir",
				    path, below);
	}
	return r;
}

int workdirs_find(struct arena *arena, const struct workdirs_wishes *wishes,
		  struct workdirs *ret)
{
	struct workdirs all = { .arena = arena };
	int r = 0;

	all.items = arena_array(arena, wishes->paths->n + 1, sizeof *all.items);
	if (!all.items)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < wishes->paths->n; i++) {
		r = find_one(arena, wishes->paths->items[i], &all.items[i]);
		if (r == 0)
			r = check_apart(&all, &all.items[i]);
		all.n++;
	}
	if (r == 0 && all.n)
		r = check_mounts(&all, wishes->proc);
	if (r < 0)
		return r;
	*ret = all;
	return 0;
}

/* ---- open ---- */

static int join(struct arena *arena, const char *name, struct workdir *w)
{
	int r = branch_open(arena, name, &w->branch);

	if (r >= 0)
		r = branch_lock(arena, &w->branch);
	if (r < 0)
		return r;
	if (w->branch.problem || (w->branch.state != BRANCH_SEALED &&
				  w->branch.state != BRANCH_OPEN))
		return fail(0, "branch %s: is %s: nothing can run in it", name,
			    branch_state_name(w->branch.state));
	if (!streq(w->branch.workdir, w->path))
		return fail(0, "branch %s: is one of %s, not of the workdir %s",
			    name, w->branch.workdir, w->path);
	w->joined = w->kept = true;
	return branch_unseal(&w->branch);
}

static int make(struct arena *arena, const struct workdirs_wishes *wishes,
		struct workdir *w)
{
	const struct branch_wishes how = {
		.name = wishes->name,
		.workdir = w->path,
		.storage = wishes->storage,
		.privileged = wishes->privileged,
	};
	int r = branch_create(arena, &how, &w->branch);

	w->made = r >= 0;
	return r;
}

static int open_one(struct arena *arena, const struct workdirs_wishes *wishes,
		    struct workdir *w)
{
	struct overlay overlay = {
		.lower = w->path,
		.privileged = wishes->privileged,
	};
	autoclose int dir = -1;
	struct stat st;
	int r = wishes->again ? join(arena, wishes->name, w) :
				make(arena, wishes, w);

	if (r < 0)
		return r;
	dir = branch_open_workdir(&w->branch);
	if (dir < 0)
		return dir;
	if (w->made)
		r = overlay_prepare(&w->branch, dir);
	if (r < 0)
		return r;
	if (fstat(w->branch.dir, &st) < 0)
		return fail(errno, "inspect %s", w->branch.path);
	overlay.branch = w->branch.path;
	overlay.other_fs = st.st_dev != w->branch.device;
	return overlay_options(arena, &overlay, &w->options);
}

int workdirs_open(const struct workdirs_wishes *wishes,
		  struct workdirs *workdirs)
{
	int r = 0;

	if (wishes->name && workdirs->n != 1)
		return fail(0,
			    "a branch has one workdir, and %zu are given: name "
			    "the branch of one",
			    workdirs->n);
	for (size_t i = 0; r >= 0 && i < workdirs->n; i++)
		r = open_one(workdirs->arena, wishes, &workdirs->items[i]);
	if (r < 0)
		workdirs_close(workdirs);
	return r < 0 ? r : 0;
}

/* ---- end ---- */

void workdirs_begin(struct workdirs *workdirs)
{
	for (size_t i = 0; i < workdirs->n; i++)
		workdirs->items[i].kept = true;
}

static int abort_one(struct workdirs *workdirs, struct workdir *w)
{
	int r = branch_remove(workdirs->arena, &w->branch);

	if (r < 0)
		return r;
	branch_close(&w->branch);
	w->ended = "aborted";
	return 0;
}

static int keep_one(struct workdirs *workdirs, struct workdir *w)
{
	int r = branch_seal(&w->branch);

	(void)workdirs;
	w->ended = "kept";
	branch_close(&w->branch);
	return r;
}

/* Nothing is applied to one workdir if another one has conflicts. */
static int check_conflicts(struct workdirs *workdirs)
{
	for (size_t i = 0; i < workdirs->n; i++) {
		const struct branch *branch = &workdirs->items[i].branch;
		struct changes changes;
		int r = commit_read(workdirs->arena, branch, &changes);

		for (size_t k = 0; r >= 0 && k < changes.n; k++)
			if (changes.items[k]->conflict)
				return fail(0,
					    "branch %s: nothing was committed: "
					    "%s: %s (see sandlock branch show "
					    "%s)",
					    branch->name,
					    changes.items[k]->path,
					    changes.items[k]->conflict,
					    branch->name);
		if (r < 0)
			return r;
	}
	return 0;
}

static int commit_one(struct workdirs *workdirs, struct workdir *w)
{
	const struct conflict_wishes none = { 0 };
	struct commit_result result;
	int r = commit_branch(workdirs->arena, &w->branch, &none, &result);

	if (r >= 0 && result.conflicts)
		r = fail(0,
			 "branch %s: nothing was committed: another "
			 "process has changed the same files",
			 w->branch.name);
	else if (r >= 0 && result.nskipped)
		r = fail(0,
			 "branch %s: not all was committed: another "
			 "process has changed %s meanwhile",
			 w->branch.name, result.skipped[0]);
	if (r < 0)
		return r;
	branch_close(&w->branch);
	w->nchanges = commit_count(&result.changes);
	w->ended = "committed";
	return 0;
}

/* Seal all and look for conflicts before the first one is applied. */
static int commit_all(struct workdirs *workdirs)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < workdirs->n; i++)
		r = branch_seal(&workdirs->items[i].branch);
	if (r >= 0)
		r = check_conflicts(workdirs);
	for (size_t i = 0; r >= 0 && i < workdirs->n; i++)
		r = commit_one(workdirs, &workdirs->items[i]);
	for (size_t i = 0; r < 0 && i < workdirs->n; i++) {
		struct workdir *w = &workdirs->items[i];

		if (w->ended)
			continue;
		w->ended = "kept";
		w->why = arena_strdup(workdirs->arena, err_text());
		branch_close(&w->branch);
	}
	return r;
}

int workdirs_finish(struct workdirs *workdirs, enum workdirs_end end)
{
	int first = 0;

	if (end == WORKDIRS_COMMIT)
		return commit_all(workdirs);
	for (size_t i = 0; i < workdirs->n; i++) {
		struct workdir *w = &workdirs->items[i];
		int r = end == WORKDIRS_ABORT ? abort_one(workdirs, w) :
						keep_one(workdirs, w);

		if (r < 0 && !w->why)
			w->why = arena_strdup(workdirs->arena, err_text());
		if (r < 0) {
			w->ended = "kept";
			first = first ? first : r;
		}
	}
	return first;
}

void workdirs_tell(const struct workdirs *workdirs, int fd)
{
	for (size_t i = 0; i < workdirs->n; i++) {
		const struct workdir *w = &workdirs->items[i];

		if (w->ended && streq(w->ended, "kept"))
			dprintf(fd,
				"sandlock: %s: kept as branch %s (%s)%s%s\n",
				w->path, w->branch.name, w->branch.path,
				w->why ? ": " : "", w->why ? w->why : "");
		else if (w->ended && streq(w->ended, "committed"))
			dprintf(fd, "sandlock: %s: committed %zu %s\n", w->path,
				w->nchanges,
				w->nchanges == 1 ? "file" : "files");
		else if (w->ended)
			dprintf(fd, "sandlock: %s: changes %s\n", w->path,
				w->ended);
	}
}

void workdirs_put(struct writer *w, const char *key,
		  const struct workdirs *workdirs)
{
	put_array(w, key);
	for (size_t i = 0; i < workdirs->n; i++) {
		const struct workdir *one = &workdirs->items[i];
		bool kept = one->ended && streq(one->ended, "kept");

		put_object(w, NULL);
		put_string(w, "workdir", one->path);
		put_string(w, "name", one->branch.name);
		put_string(w, "ended", one->ended);
		if (kept)
			put_string(w, "path", one->branch.path);
		if (one->ended && streq(one->ended, "committed"))
			put_u64(w, "changes", one->nchanges);
		if (one->why)
			put_string(w, "reason", one->why);
		put_end(w);
	}
	put_end(w);
}

void workdirs_close(struct workdirs *workdirs)
{
	struct err_kept kept;

	err_keep(&kept);
	for (size_t i = 0; i < workdirs->n; i++) {
		struct workdir *w = &workdirs->items[i];

		if (w->branch.dir >= 0 && w->made && !w->kept &&
		    branch_remove(workdirs->arena, &w->branch) < 0)
			log_warning("%s", err_text());
		/* Nothing was run in it, so it is as it was. */
		if (w->branch.dir >= 0 && w->joined &&
		    w->branch.state == BRANCH_OPEN &&
		    branch_seal(&w->branch) < 0)
			log_warning("%s", err_text());
		branch_close(&w->branch);
	}
	err_restore(&kept);
}

const struct workdir *workdirs_at(const struct workdirs *workdirs,
				  const char *path)
{
	for (size_t i = 0; workdirs && i < workdirs->n; i++)
		if (streq(workdirs->items[i].path, path))
			return &workdirs->items[i];
	return NULL;
}
