/* SPDX-License-Identifier: Apache-2.0 */
/* cow/commit.c - make the changes of a branch in its workdir, all or none. */
#include "cow/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "cow/apply.h"
#include "cow/branch.h"
#include "cow/commit_plan.h"
#include "cow/journal.h"
#include "cow/links.h"
#include "cow/stage.h"

#define NS_PER_SECOND 1000000000LL
#define JOURNAL_MAX (512UL << 20)
#define RESERVE "reserve"
#define RESERVE_MIN 65536

static void close_sides(struct sides *sides)
{
	closep(&sides->upper);
	closep(&sides->lower);
	closep(&sides->index);
}

#define autosides __attribute__((cleanup(close_sides)))
#define SIDES_NONE                                    \
	{                                             \
		.upper = -1, .lower = -1, .index = -1 \
	}

/* The overlay of a user has no index. */
static int open_sides(const struct branch *branch, struct sides *ret)
{
	*ret = (struct sides){
		.upper = branch_open_upper(branch),
		.lower = -1,
		.index = tree_open(branch->dir, BRANCH_WORK "/index",
				   O_RDONLY | O_DIRECTORY),
		.prefix = branch->xattr_prefix,
		.since = branch->since.tv_sec * NS_PER_SECOND +
			 branch->since.tv_nsec,
	};
	if (ret->upper < 0)
		return ret->upper;
	ret->lower = branch_open_workdir(branch);
	return ret->lower < 0 ? ret->lower : 0;
}

static int read_changes(struct arena *arena, const struct sides *sides,
			struct changes *changes, struct links *links)
{
	int r = changes_find(arena, sides, changes);

	if (r >= 0)
		r = links_find(arena, sides, changes, links);
	if (r >= 0)
		r = conflict_find(arena, sides, changes);
	return r;
}

int commit_read(struct arena *arena, const struct branch *branch,
		struct changes *ret)
{
	autosides struct sides sides = SIDES_NONE;
	struct links links;
	int r = open_sides(branch, &sides);

	if (r >= 0)
		r = read_changes(arena, &sides, ret, &links);
	return r < 0 ? fail_in(r, "branch %s", branch->name) : 0;
}

size_t commit_count(const struct changes *changes)
{
	size_t n = 0;

	for (size_t i = 0; i < changes->n; i++)
		n += changes->items[i]->kind != 0;
	return n;
}

/* ---- before the journal ---- */

/* Renames can need blocks for directories when the disk is full already. */
static int reserve(const struct stage *stage, size_t growth)
{
	autoclose int fd = openat(stage->trash, RESERVE,
				  O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || (fallocate(fd, 0, 0, (off_t)(growth + RESERVE_MIN)) < 0 &&
		       errno != EOPNOTSUPP))
		return fail(errno, "reserve space for the commit");
	return 0;
}

static int write_journal(const struct branch *branch, const struct stage *stage,
			 const struct sides *sides, const char *text,
			 size_t len)
{
	autoclose int fd = openat(branch->dir, BRANCH_JOURNAL_TMP,
				  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				  0600);
	int r = fd < 0 ? -errno : io_write_all(fd, text, len);

	if (r < 0)
		return fail(-r, "write the journal");
	if (syncfs(stage->copies ? stage->files : sides->upper) < 0 ||
	    syncfs(stage->trash) < 0 || fsync(fd) < 0)
		return fail(errno, "write the changes to disk");
	if (renameat(branch->dir, BRANCH_JOURNAL_TMP, branch->dir,
		     BRANCH_JOURNAL) < 0)
		return fail(errno, "write the journal");
	return 0;
}

static int prepare(struct arena *arena, const struct branch *branch,
		   const struct sides *sides, const struct changes *changes,
		   const struct links *links)
{
	autostage struct stage stage = STAGE_NONE;
	struct commit_plan plan = { .arena = arena,
				    .sides = sides,
				    .changes = changes,
				    .links = links,
				    .stage = &stage };
	const char *text;
	size_t len, growth;
	int r = stage_make(arena, branch, sides->lower, sides->upper, &stage);

	if (r >= 0)
		r = commit_plan_write(&plan, &text, &len, &growth);
	if (r >= 0)
		r = reserve(&stage, growth);
	if (r >= 0)
		r = write_journal(branch, &stage, sides, text, len);
	return r;
}

/* ---- from the journal on ---- */

static int read_journal(struct arena *arena, const struct branch *branch,
			const char *name, struct journal *ret)
{
	autoclose int fd =
		openat(branch->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text;
	size_t len;
	int r = fd < 0 ? fail(errno, "open the journal") :
			 io_read_all(arena, fd, JOURNAL_MAX, &text, &len);

	return r < 0 ? r : journal_parse(arena, text, len, ret);
}

static const char *stage_path(const struct journal *journal)
{
	return journal->n > 0 && journal->steps[0].kind == JOURNAL_STAGE ?
		       journal->steps[0].path :
		       NULL;
}

static int do_steps(struct arena *arena, const struct branch *branch,
		    const struct sides *sides, const struct journal *journal,
		    struct apply *apply)
{
	autostage struct stage stage = STAGE_NONE;
	int r = stage_open(branch, stage_path(journal), &stage);

	if (r < 0)
		return r;
	(void)unlinkat(stage.trash, RESERVE, 0);
	*apply = (struct apply){ .arena = arena,
				 .lower = sides->lower,
				 .upper = sides->upper,
				 .index = sides->index,
				 .stage = stage.files,
				 .trash = stage.trash,
				 .prefix = branch->xattr_prefix };
	r = apply_steps(apply, journal);
	if (r < 0)
		return r;
	if (apply->nskipped > 0)
		apply_clear_upper(apply, journal);
	if (syncfs(sides->lower) < 0)
		return fail(errno, "write the workdir to disk");
	return 0;
}

/* A stage in the workdir changed its time when it went. */
static int remove_stage(struct arena *arena, const struct branch *branch,
			const struct journal *journal)
{
	const char *path = stage_path(journal);
	autoclose int lower = -1;
	int r = stage_remove(arena, branch);

	if (r < 0 || !path || !tree_is_below(path, branch->workdir))
		return r;
	lower = branch_open_workdir(branch);
	for (size_t i = 0; lower >= 0 && i < journal->n; i++) {
		const struct journal_step *s = &journal->steps[i];
		const struct timespec times[2] = {
			{ .tv_nsec = UTIME_OMIT },
			{ .tv_sec = s->numbers[NUMBER_SECONDS],
			  .tv_nsec = s->numbers[NUMBER_NANOSECONDS] }
		};

		if (s->kind == JOURNAL_SET && !*s->path)
			(void)futimens(lower, times);
	}
	return 0;
}

static int clean_up(struct arena *arena, struct branch *branch)
{
	struct journal journal;
	int r = read_journal(arena, branch, BRANCH_DONE, &journal);

	if (r >= 0)
		r = remove_stage(arena, branch, &journal);
	return r < 0 ? r : branch_remove(arena, branch);
}

/* The branch stays, with what was skipped in its upper directory. */
static int keep_rest(struct arena *arena, const struct branch *branch)
{
	if (unlinkat(branch->dir, BRANCH_JOURNAL, 0) < 0 ||
	    fsync(branch->dir) < 0)
		return fail(errno, "remove the journal");
	return stage_remove(arena, branch);
}

static int roll_forward(struct arena *arena, struct branch *branch,
			struct apply *apply)
{
	autosides struct sides sides = SIDES_NONE;
	struct journal journal;
	int r = read_journal(arena, branch, BRANCH_JOURNAL, &journal);

	if (r >= 0)
		r = open_sides(branch, &sides);
	if (r >= 0)
		r = do_steps(arena, branch, &sides, &journal, apply);
	if (r < 0)
		return fail_in(r,
			       "branch %s: the commit is not complete, finish "
			       "it by `sandlock branch recover %s`",
			       branch->name, branch->name);
	if (apply->nskipped > 0)
		return keep_rest(arena, branch);
	if (renameat(branch->dir, BRANCH_JOURNAL, branch->dir, BRANCH_DONE) <
		    0 ||
	    fsync(branch->dir) < 0)
		return fail(errno, "branch %s: end the journal", branch->name);
	close_sides(&sides);
	return clean_up(arena, branch);
}

/* ---- doors ---- */

static int check(const struct branch *branch,
		 const struct conflict_wishes *wishes)
{
	if (branch->state != BRANCH_SEALED)
		return fail(0, "branch %s is %s, it cannot be committed",
			    branch->name, branch_state_name(branch->state));
	if (branch_clock_is_back(branch) && !wishes->all_ours)
		return fail(0,
			    "branch %s: the clock was set back since the branch "
			    "was opened, so changes outside of it cannot be "
			    "detected; --ours . commits without that check",
			    branch->name);
	return 0;
}

static int check_problems(const struct branch *branch,
			  const struct changes *changes)
{
	if (changes->nproblems == 0)
		return 0;
	return fail(0,
		    "branch %s cannot be committed: %s%s; remove it in the "
		    "branch, or abort the branch",
		    branch->name, changes->problems[0],
		    changes->nproblems > 1 ? " (and others)" : "");
}

int commit_branch(struct arena *arena, struct branch *branch,
		  const struct conflict_wishes *wishes,
		  struct commit_result *ret)
{
	struct commit_result result = { 0 };
	struct apply apply = { 0 };
	struct links links;
	int r = check(branch, wishes);

	if (r < 0)
		return r;
	{
		autosides struct sides sides = SIDES_NONE;

		r = open_sides(branch, &sides);
		if (r >= 0)
			r = read_changes(arena, &sides, &result.changes,
					 &links);
		if (r >= 0)
			r = check_problems(branch, &result.changes);
		if (r < 0)
			return fail_in(r, "commit");
		result.conflicts = conflict_resolve(&result.changes, wishes);
		if (result.conflicts > 0) {
			*ret = result;
			return 0;
		}
		r = prepare(arena, branch, &sides, &result.changes, &links);
	}
	if (r < 0) {
		struct err_kept kept;

		err_keep(&kept);
		(void)unlinkat(branch->dir, BRANCH_JOURNAL_TMP, 0);
		(void)stage_remove(arena, branch);
		err_restore(&kept);
		return fail_in(r, "branch %s: nothing was committed",
			       branch->name);
	}
	if (fsync(branch->dir) < 0)
		return fail(errno, "branch %s: write the journal to disk",
			    branch->name);
	r = roll_forward(arena, branch, &apply);
	if (r < 0)
		return r;
	result.skipped = apply.skipped;
	result.nskipped = apply.nskipped;
	*ret = result;
	return 0;
}

int commit_recover(struct arena *arena, struct branch *branch,
		   enum commit_recovery *ret)
{
	struct apply apply = { 0 };
	struct stat st;
	int r;

	if (branch->state == BRANCH_COMMITTED) {
		*ret = RECOVER_FINISHED;
		return clean_up(arena, branch);
	}
	if (branch->state == BRANCH_COMMITTING) {
		r = roll_forward(arena, branch, &apply);
		*ret = apply.nskipped > 0 ? RECOVER_CONFLICTS :
					    RECOVER_FINISHED;
		return r;
	}
	*ret = RECOVER_NOTHING;
	if (branch->state == BRANCH_DAMAGED)
		return 0;
	if (fstatat(branch->dir, BRANCH_JOURNAL_TMP, &st,
		    AT_SYMLINK_NOFOLLOW) == 0)
		*ret = RECOVER_UNDONE;
	r = stage_remove(arena, branch);
	if (r >= 0 && *ret == RECOVER_UNDONE &&
	    unlinkat(branch->dir, BRANCH_JOURNAL_TMP, 0) < 0)
		r = fail(errno, "branch %s: remove the journal", branch->name);
	return r;
}
