/* SPDX-License-Identifier: Apache-2.0 */
/* cow/changes.c - walk the upper directory beside the lower one. */
#include "cow/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "cow/changes_walk.h"

/* A directory of the branch, and the one of the workdir that it shows. */
struct pair {
	const char *path;
	const char *lower; /* NULL: nothing of the workdir is seen here */
	char opaque;	   /* 'y': the lower one's entries are deleted */
	bool renamed;	   /* the lower one has another path */
};

struct pairs {
	struct pair *items;
	size_t n, room;
};

static int add_pair(struct arena *arena, struct pairs *list, struct pair pair)
{
	list->items = arena_room(arena, list->items, list->n, &list->room,
				 sizeof *list->items);
	if (!list->items)
		return -ENOMEM;
	list->items[list->n++] = pair;
	return 0;
}

/* One entry of the upper directory, and what the workdir has there. */
struct visit {
	const struct pair *pair;
	int upper, lower; /* directories; lower may be -1 */
	const char *name;
	struct change *change;
};

static bool is_whiteout(const struct walk *w, const struct visit *v)
{
	const struct tree_entry *e = &v->change->new;
	char value[1];

	if (tree_is_type(e, S_IFCHR))
		return e->device == 0;
	return tree_is_type(e, S_IFREG) && e->size == 0 &&
	       v->pair->opaque == 'x' &&
	       xattrs_mark(v->upper, v->name, w->sides->prefix, "whiteout",
			   value, sizeof value) >= 0;
}

static int visit_whiteout(struct walk *w, struct visit *v)
{
	struct change *c = v->change;

	c->new = (struct tree_entry){ 0 };
	if (c->old.mode == 0)
		return 0;
	c->kind = v->pair->renamed ? 0 : 'D';
	c->op = CHANGE_DELETE;
	return tree_is_type(&c->old, S_IFDIR) ?
		       walk_show_below(w, c, c->lower, c->kind) :
		       0;
}

static int read_attributes(struct walk *w, struct visit *v)
{
	struct change *c = v->change;
	struct xattrs old = { 0 };
	int r = xattrs_read(w->arena, v->upper, v->name, w->sides->prefix,
			    &c->xattrs);

	if (r >= 0 && c->old.mode != 0)
		r = xattrs_read(w->arena, v->lower, v->name, NULL, &old);
	if (r == -EACCES) {
		c->differs |= DIFFERS_XATTRS;
		return 0;
	}
	if (r < 0)
		return fail_in(r, "%s", c->path);
	if (c->old.mode != 0 && !xattrs_equal(&old, &c->xattrs))
		c->differs |= DIFFERS_XATTRS;
	return 0;
}

static void compare_attributes(struct change *c)
{
	if ((c->old.mode ^ c->new.mode) & S_IFMT)
		c->differs |= DIFFERS_TYPE;
	if ((c->old.mode ^ c->new.mode) & ~(unsigned int)S_IFMT &&
	    !tree_is_type(&c->new, S_IFLNK))
		c->differs |= DIFFERS_MODE;
	if (c->old.uid != c->new.uid || c->old.gid != c->new.gid)
		c->differs |= DIFFERS_OWNER;
	if (c->old.mtime.tv_sec != c->new.mtime.tv_sec ||
	    c->old.mtime.tv_nsec != c->new.mtime.tv_nsec)
		c->differs |= DIFFERS_TIMES;
}

static int visit_moved(struct walk *w, struct visit *v, const char *from,
		       struct pairs *below)
{
	struct change *c = v->change;

	c->kind = 'A';
	c->op = CHANGE_MOVE;
	c->from = from;
	c->sets = true;
	if (tree_is_type(&c->old, S_IFDIR)) {
		int r = walk_show_below(w, c, c->lower, 'D');

		if (r < 0)
			return r;
	}
	return add_pair(w->arena, below,
			(struct pair){ .path = c->path,
				       .lower = from,
				       .renamed = true });
}

static int visit_directory(struct walk *w, struct visit *v, struct pairs *below)
{
	struct change *c = v->change;
	const char *from = walk_moved_from(w, c->path);
	bool merged = tree_is_type(&c->old, S_IFDIR);
	char opaque = xattrs_opaque(v->upper, v->name, w->sides->prefix);
	int r;

	if (merged)
		compare_attributes(c);
	r = read_attributes(w, v);
	if (r < 0)
		return r;
	c->sets = true;
	if (from)
		return visit_moved(w, v, from, below);
	c->copied = opaque != 'y' &&
		    xattrs_mark(v->upper, v->name, w->sides->prefix, "origin",
				NULL, 0) >= 0;
	if (!merged) {
		c->kind = (char)(c->old.mode && !v->pair->renamed ? 'M' : 'A');
		c->op = CHANGE_MKDIR;
		c->differs |= c->old.mode ? DIFFERS_TYPE : 0;
	} else if (v->pair->renamed) {
		c->kind = 'A';
	} else if (c->differs & ~(unsigned int)DIFFERS_TIMES) {
		c->kind = 'M';
	}
	return add_pair(w->arena, below,
			(struct pair){ .path = c->path,
				       .lower = merged ? c->lower : NULL,
				       .opaque = opaque,
				       .renamed = v->pair->renamed });
}

static int same_target(const struct visit *v)
{
	char a[PATH_MAX], b[PATH_MAX];
	ssize_t n = readlinkat(v->upper, v->name, a, sizeof a);
	ssize_t m = readlinkat(v->lower, v->name, b, sizeof b);

	return n >= 0 && n == m && memcmp(a, b, (size_t)n) == 0;
}

/*
 * Files of one size and time are compared; others count as different, because
 * reading all of them would take longer than the commit.
 */
static int compare_content(struct visit *v)
{
	struct change *c = v->change;
	int same = 1;

	if (tree_is_type(&c->new, S_IFLNK))
		same = same_target(v);
	else if (tree_is_type(&c->new, S_IFREG))
		same = c->old.size == c->new.size &&
		       !(c->differs & DIFFERS_TIMES);
	if (same && tree_is_type(&c->new, S_IFREG))
		same = changes_same_bytes(v->upper, v->name, v->lower, v->name);
	if (same < 0 && same != -EACCES)
		return fail_in(same, "compare %s", c->path);
	if (same <= 0)
		c->differs |= DIFFERS_CONTENT;
	return 0;
}

static int visit_existing(struct walk *w, struct visit *v)
{
	struct change *c = v->change;
	int r;

	compare_attributes(c);
	if (!(c->differs & DIFFERS_TYPE)) {
		r = compare_content(v);
		if (r >= 0)
			r = read_attributes(w, v);
		if (r < 0)
			return r;
		if (c->differs == 0)
			return 0;
		c->copied = tree_is_type(&c->new, S_IFREG) &&
			    c->old.nlink > 1 &&
			    walk_is_copy(w->sides, v->upper, v->lower, v->name);
	} else if (c->keeps_xattrs) {
		r = read_attributes(w, v);
		if (r < 0)
			return r;
	}
	c->kind = (char)(v->pair->renamed ? 'A' : 'M');
	c->op = CHANGE_REPLACE;
	return tree_is_type(&c->old, S_IFDIR) ?
		       walk_show_below(w, c, c->lower, 'D') :
		       0;
}

/* Attributes of users can be changed by a process that may write only. */
static bool needs_grant(const struct change *c)
{
	return geteuid() != 0 && tree_is_type(&c->new, S_IFREG) &&
	       (c->new.mode &(S_IRUSR | S_IWUSR)) != (S_IRUSR | S_IWUSR);
}

static int visit_file(struct walk *w, struct visit *v)
{
	struct change *c = v->change;
	enum xattrs_marks marks;
	int r;

	if (tree_is_type(&c->new, S_IFSOCK)) {
		r = changes_note(w->arena, w->list,
				 arena_printf(w->arena,
					      "%s is a socket: left out",
					      c->path));
		return r < 0 ? r : visit_whiteout(w, v);
	}
	if (tree_is_type(&c->new, S_IFCHR) || tree_is_type(&c->new, S_IFBLK))
		return changes_problem(w->arena, w->list,
				       arena_printf(w->arena, "%s is a device",
						    c->path));
	if (c->new.fixed)
		return changes_problem(
			w->arena, w->list,
			arena_printf(w->arena, "%s is immutable or append-only",
				     c->path));
	r = needs_grant(c) ? walk_grant(w, c->path) : 0;
	if (r >= 0)
		r = xattrs_find_marks(v->upper, v->name, w->sides->prefix,
				      &marks);
	if (r < 0)
		return fail_in(r, "%s", c->path);
	c->stripped = marks != MARKS_NONE;
	c->keeps_xattrs = marks == MARKS_AND_DATA ||
			  (c->stripped && needs_grant(c));
	if (c->old.mode != 0)
		return visit_existing(w, v);
	c->kind = 'A';
	c->op = CHANGE_ADD;
	c->copied = c->stripped &&
		    walk_origin_is_gone(w->sides, v->upper, v->name);
	return c->keeps_xattrs ? read_attributes(w, v) : 0;
}

/* What was moved away is not there any more; its loss is shown. */
static int look_below(struct walk *w, struct visit *v)
{
	struct change *c = v->change;
	int r;

	if (v->lower < 0)
		return 0;
	c->lower = tree_join(w->arena, v->pair->lower, v->name);
	if (!c->lower)
		return -ENOMEM;
	r = tree_stat(v->lower, v->name, &c->old);
	if (r < 0)
		return fail(-r, "look at %s", c->lower);
	if (!walk_is_moved(w, c->lower))
		return 0;
	r = v->pair->renamed ? 0 : walk_show_moved_away(w, c->path, &c->old);
	c->old = (struct tree_entry){ 0 };
	return r;
}

static int visit(struct walk *w, struct visit *v, struct pairs *below)
{
	struct change *c = changes_add(w->arena, w->list);
	int r;

	if (!c)
		return -ENOMEM;
	v->change = c;
	c->path = tree_join(w->arena, v->pair->path, v->name);
	if (!c->path)
		return -ENOMEM;
	r = tree_stat(v->upper, v->name, &c->new);
	if (r < 0)
		return fail(-r, "look at %s", c->path);
	r = look_below(w, v);
	if (r < 0)
		return r;
	if (is_whiteout(w, v))
		return visit_whiteout(w, v);
	if (tree_is_type(&c->new, S_IFDIR))
		return visit_directory(w, v, below);
	return visit_file(w, v);
}

/* Entries that only the workdir has: deleted, or moved with the directory. */
static int visit_lower_only(struct walk *w, const struct pair *pair, int lower,
			    const struct tree_names *upper)
{
	struct tree_names names = { 0 };
	size_t j = 0;
	int r = 0;

	if (lower < 0 || (pair->opaque != 'y' && !pair->renamed))
		return 0;
	r = tree_names(w->arena, lower, &names);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		struct visit v = { .pair = pair,
				   .upper = -1,
				   .lower = lower,
				   .name = names.items[i] };

		while (j < upper->n &&
		       strcmp(upper->items[j], names.items[i]) < 0)
			j++;
		if (j < upper->n && streq(upper->items[j], names.items[i]))
			continue;
		r = walk_lower_only(w, pair->path, pair->lower, v.name, lower,
				    pair->opaque == 'y');
	}
	return r;
}

static int walk_pair(struct walk *w, const struct pair *pair)
{
	struct pairs below = { 0 };
	struct tree_names names;
	int r;

	{
		autoclose int upper = walk_open_upper(w, pair->path);
		autoclose int lower =
			pair->lower ? tree_open(w->sides->lower, pair->lower,
						O_RDONLY | O_DIRECTORY) :
				      -1;

		if (upper < 0)
			return upper;
		if (pair->lower && lower < 0)
			return fail(errno, "open directory %s", pair->lower);
		r = tree_names(w->arena, upper, &names);
		for (size_t i = 0; r >= 0 && i < names.n; i++) {
			struct visit v = { .pair = pair,
					   .upper = upper,
					   .lower = lower,
					   .name = names.items[i] };

			r = visit(w, &v, &below);
		}
		if (r >= 0)
			r = visit_lower_only(w, pair, lower, &names);
	}
	for (size_t i = 0; r >= 0 && i < below.n; i++)
		r = walk_pair(w, &below.items[i]);
	return r;
}

/* The workdir itself is an entry, too: its mode, owner and attributes. */
static int walk_top(struct walk *w)
{
	struct change *c = changes_add(w->arena, w->list);
	struct pair top = { .path = "", .lower = "" };
	struct visit v = { .pair = &top,
			   .upper = w->sides->upper,
			   .lower = w->sides->lower,
			   .name = ".",
			   .change = c };
	int r;

	if (!c)
		return -ENOMEM;
	c->path = "";
	c->lower = "";
	r = tree_stat(w->sides->upper, ".", &c->new);
	if (r >= 0)
		r = tree_stat(w->sides->lower, ".", &c->old);
	if (r < 0)
		return fail(-r, "look at the workdir");
	c->sets = true;
	compare_attributes(c);
	r = read_attributes(w, &v);
	if (r < 0)
		return r;
	if (c->differs & ~(unsigned int)DIFFERS_TIMES)
		c->kind = 'M';
	return walk_pair(w, &top);
}

static int by_path(const void *a, const void *b)
{
	return strcmp((*(struct change *const *)a)->path,
		      (*(struct change *const *)b)->path);
}

/* Leave out what turned out to be no change. */
static void sort(struct changes *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct change *c = list->items[i];

		if (c->kind || c->op != CHANGE_NOTHING || c->sets)
			list->items[n++] = c;
	}
	list->n = n;
	if (n > 0)
		qsort(list->items, n, sizeof *list->items, by_path);
}

int changes_find(struct arena *arena, const struct sides *sides,
		 struct changes *ret)
{
	struct changes list = { 0 };
	struct walk w = { .arena = arena, .sides = sides, .list = &list };
	int r = walk_find_moved(&w);

	if (r >= 0)
		r = walk_top(&w);
	walk_close_opened(&w);
	if (r < 0)
		return fail_in(r, "read the branch's changes");
	sort(&list);
	*ret = list;
	return 0;
}
