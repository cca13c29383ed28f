/* SPDX-License-Identifier: Apache-2.0 */
/* cow/conflict.c - changes of files that others have changed, too. */
#include "cow/conflict.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"

#define CHANGED_OUTSIDE "changed outside of the branch"
#define DELETED_OUTSIDE "deleted outside of the branch"

static bool is_later(const struct sides *sides, const struct change *c)
{
	return c->old.mode != 0 && c->old.ctime > sides->since;
}

/* 1: both have made the same file; -errno. */
static int is_same_edit(const struct sides *sides, const struct change *c)
{
	const char *upper_name, *lower_name;
	autoclose int upper = -1, lower = -1;
	int r;

	if (c->differs & (DIFFERS_TYPE | DIFFERS_MODE | DIFFERS_OWNER |
			  DIFFERS_XATTRS) ||
	    c->old.nlink > 1)
		return 0;
	if (!tree_is_type(&c->new, S_IFREG))
		return !(c->differs & DIFFERS_CONTENT);
	if (c->old.size != c->new.size)
		return 0;
	upper = tree_open_parent(sides->upper, c->path, &upper_name);
	lower = tree_open_parent(sides->lower, c->lower, &lower_name);
	if (upper < 0 || lower < 0)
		return fail(errno, "compare %s", c->path);
	r = changes_same_bytes(upper, upper_name, lower, lower_name);
	return r < 0 ? fail_in(r, "compare %s", c->path) : r;
}

static int judge_file(const struct sides *sides, struct change *c)
{
	int r = is_same_edit(sides, c);

	if (r < 0)
		return r;
	if (!r) {
		c->conflict = CHANGED_OUTSIDE;
		return 0;
	}
	c->op = CHANGE_NOTHING;
	c->kind = 0;
	return 0;
}

static int judge(const struct sides *sides, struct change *c)
{
	if (c->conflict)
		return 0;
	if (c->owner) {
		/* What is moved with its directory keeps others' edits. */
		if (c->owner->op != CHANGE_NOTHING && is_later(sides, c))
			c->conflict = CHANGED_OUTSIDE;
		return 0;
	}
	if ((c->op == CHANGE_ADD || c->op == CHANGE_MKDIR) &&
	    c->old.mode == 0 && c->copied) {
		c->conflict = DELETED_OUTSIDE;
		return 0;
	}
	if (!is_later(sides, c))
		return 0;
	if (c->op == CHANGE_REPLACE)
		return judge_file(sides, c);
	if (c->op != CHANGE_NOTHING || c->kind == 'M')
		c->conflict = CHANGED_OUTSIDE;
	return 0;
}

int conflict_find(struct arena *arena, const struct sides *sides,
		  struct changes *changes)
{
	int r = 0;

	(void)arena;
	for (size_t i = 0; r >= 0 && i < changes->n; i++)
		r = judge(sides, changes->items[i]);
	return r;
}

static bool names(const struct strings *paths, const char *path)
{
	for (size_t i = 0; i < paths->n; i++)
		if (tree_is_below(path, paths->items[i]))
			return true;
	return false;
}

static void drop_one(struct change *c)
{
	c->dropped = true;
	c->op = CHANGE_NOTHING;
	c->sets = false;
	c->kind = 0;
	c->conflict = NULL;
}

/* Without its directory, nothing below it can be made. */
static void drop(struct changes *changes, struct change *c)
{
	struct change *top = c->owner ? c->owner : c;
	bool whole = top->op == CHANGE_MKDIR || top->op == CHANGE_MOVE;

	for (size_t i = 0; i < changes->n; i++) {
		struct change *below = changes->items[i];

		if (below->owner == top ||
		    (whole && tree_is_below(below->path, top->path)))
			drop_one(below);
	}
	drop_one(top);
	drop_one(c);
}

size_t conflict_resolve(struct changes *changes,
			const struct conflict_wishes *wishes)
{
	size_t left = 0;

	for (size_t i = 0; i < changes->n; i++) {
		struct change *c = changes->items[i];

		if (!c->conflict)
			continue;
		if (names(&wishes->theirs, c->path))
			drop(changes, c);
		else if (names(&wishes->ours, c->path) || wishes->all_ours)
			c->conflict = NULL;
		else if (wishes->all_theirs)
			drop(changes, c);
	}
	for (size_t i = 0; i < changes->n; i++)
		left += changes->items[i]->conflict != NULL;
	return left;
}
