/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/changes_walk.c - renamed directories, entries below deleted ones, and
 * where the overlay's copies come from.
 */
#include "cow/changes_walk.h"

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
#include "cow/origin.h"

#define COMPARE_SIZE 65536

struct change *changes_add(struct arena *arena, struct changes *list)
{
	list->items = arena_room(arena, list->items, list->n, &list->room,
				 sizeof(struct change *));
	if (!list->items)
		return NULL;
	list->items[list->n] = arena_alloc(arena, sizeof(struct change));
	return list->items[list->n] ? list->items[list->n++] : NULL;
}

static int add_text(struct arena *arena, const char ***items, size_t *n,
		    size_t *room, const char *text)
{
	if (!text)
		return -ENOMEM;
	*items = arena_room(arena, *items, *n, room, sizeof **items);
	if (!*items)
		return -ENOMEM;
	(*items)[(*n)++] = text;
	return 0;
}

int changes_note(struct arena *arena, struct changes *list, const char *text)
{
	return add_text(arena, &list->notes, &list->nnotes, &list->notes_room,
			text);
}

int changes_problem(struct arena *arena, struct changes *list, const char *text)
{
	return add_text(arena, &list->problems, &list->nproblems,
			&list->problems_room, text);
}

/* A FIFO in the place of a file neither blocks nor counts as one. */
static int open_regular(int dir, const char *name)
{
	int fd = openat(dir, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return fail(errno, "open");
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return fail(EINVAL, "not a regular file");
}

int changes_same_bytes(int dir_a, const char *a, int dir_b, const char *b)
{
	autoclose int fd_a = open_regular(dir_a, a);
	autoclose int fd_b = fd_a < 0 ? -1 : open_regular(dir_b, b);
	char x[COMPARE_SIZE], y[COMPARE_SIZE];
	off_t at = 0;

	if (fd_a < 0 || fd_b < 0)
		return fd_a < 0 ? fd_a : fd_b;
	for (;;) {
		ssize_t n = pread(fd_a, x, sizeof x, at);
		ssize_t m = pread(fd_b, y, sizeof y, at);

		if (n < 0 || m < 0)
			return fail(errno, "read");
		if (n != m || memcmp(x, y, (size_t)n) != 0)
			return 0;
		if (n == 0)
			return 1;
		at += n;
	}
}

/* ---- what its owner may not read ---- */

int walk_grant(struct walk *w, const char *path)
{
	const char *name;
	autoclose int dir = tree_open_parent(w->sides->upper, path, &name);
	struct tree_entry entry;

	if (dir < 0 || tree_stat(dir, name, &entry) < 0 ||
	    (!tree_is_type(&entry, S_IFDIR) && !tree_is_type(&entry, S_IFREG)))
		return fail(EACCES, "open %s", path);
	w->opened = arena_room(w->arena, w->opened, w->nopened, &w->room,
			       sizeof *w->opened);
	if (!w->opened)
		return -ENOMEM;
	if (fchmodat(dir, name, (entry.mode & 07777) | S_IRWXU, 0) < 0)
		return fail(errno, "make %s readable", path);
	w->opened[w->nopened++] = (struct opened){ path, entry.mode & 07777 };
	return 0;
}

/* To read a directory takes one right, to use its entries another one. */
int walk_open_upper(struct walk *w, const char *path)
{
	int fd = tree_open(w->sides->upper, path, O_RDONLY | O_DIRECTORY);
	struct tree_entry entry = { 0 };

	if (fd >= 0 && geteuid() != 0)
		(void)tree_stat(fd, "", &entry);
	if (*path && ((fd < 0 && errno == EACCES) ||
		      (entry.mode && (entry.mode & S_IRWXU) != S_IRWXU))) {
		int r = walk_grant(w, path);

		closep(&fd);
		if (r < 0)
			return r;
		fd = tree_open(w->sides->upper, path, O_RDONLY | O_DIRECTORY);
	}
	return fd < 0 ? fail(errno, "open directory %s", path) : fd;
}

void walk_close_opened(struct walk *w)
{
	while (w->nopened > 0) {
		const struct opened *o = &w->opened[--w->nopened];
		const char *name;
		autoclose int dir =
			tree_open_parent(w->sides->upper, o->path, &name);

		if (dir >= 0)
			(void)fchmodat(dir, name, o->mode, 0);
	}
}

/* ---- renamed directories ---- */

bool walk_is_moved(const struct walk *w, const char *lower)
{
	for (size_t i = 0; i < w->list->nmoved; i++)
		if (streq(w->list->moved[i].from, lower))
			return true;
	return false;
}

const char *walk_moved_from(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->list->nmoved; i++)
		if (streq(w->list->moved[i].to, path))
			return w->list->moved[i].from;
	return NULL;
}

static int add_moved(struct walk *w, const char *from, const char *to)
{
	struct changes *list = w->list;
	struct tree_entry entry;
	int r = tree_stat_path(w->sides->lower, from, &entry);

	if (r < 0)
		return fail(-r, "look at %s", from);
	if (!tree_is_type(&entry, S_IFDIR))
		return changes_problem(
			w->arena, list,
			arena_printf(w->arena,
				     "%s, which the branch renamed to %s, is "
				     "gone from the workdir",
				     from, to));
	list->moved = arena_room(w->arena, list->moved, list->nmoved,
				 &list->moved_room, sizeof *list->moved);
	if (!list->moved)
		return -ENOMEM;
	list->moved[list->nmoved++] =
		(struct moved){ .from = from, .to = to, .ino = entry.ino };
	return 0;
}

/*
 * The lower path of an entry: by its redirect, which is a name in the same
 * directory or a path from the top, else its own name. NULL: it has none.
 */
static int lower_of(struct walk *w, int upper, const char *name,
		    const char *lower_dir, bool *ret_redirected,
		    const char **ret)
{
	char value[PATH_MAX];
	ssize_t len = xattrs_mark(upper, name, w->sides->prefix, "redirect",
				  value, sizeof value - 1);
	bool shown = lower_dir &&
		     xattrs_opaque(upper, name, w->sides->prefix) != 'y';

	*ret_redirected = len > 0;
	*ret = NULL;
	if (len > 0)
		value[len] = '\0';
	if (len > 0 && value[0] == '/')
		*ret = arena_strdup(w->arena, value + 1);
	else if (len > 0 && lower_dir)
		*ret = tree_join(w->arena, lower_dir, value);
	else if (len <= 0 && shown)
		*ret = tree_join(w->arena, lower_dir, name);
	else
		return 0;
	return *ret ? 0 : -ENOMEM;
}

static int find_moved(struct walk *w, const char *path, const char *lower_dir)
{
	autoclose int upper = walk_open_upper(w, path);
	struct tree_names names = { 0 };
	int r = upper < 0 ? upper : tree_names(w->arena, upper, &names);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		const char *below, *lower;
		struct tree_entry entry;
		bool redirected;

		if (tree_stat(upper, names.items[i], &entry) < 0 ||
		    !tree_is_type(&entry, S_IFDIR))
			continue;
		below = tree_join(w->arena, path, names.items[i]);
		if (!below)
			return -ENOMEM;
		r = lower_of(w, upper, names.items[i], lower_dir, &redirected,
			     &lower);
		if (r >= 0 && redirected && lower && !streq(lower, below))
			r = add_moved(w, lower, below);
		if (r >= 0)
			r = find_moved(w, below, lower);
	}
	return r;
}

/* Only a privileged overlay renames directories of the lower side. */
int walk_find_moved(struct walk *w)
{
	return starts_with(w->sides->prefix, "trusted.") ?
		       find_moved(w, "", "") :
		       0;
}

/* ---- entries that only the workdir has ---- */

static int show_one(struct walk *w, struct change *owner, const char *path,
		    const char *lower, char kind, const struct tree_entry *old,
		    struct change **ret)
{
	struct change *c = changes_add(w->arena, w->list);

	if (!c || !path || !lower)
		return -ENOMEM;
	c->kind = kind;
	c->path = path;
	c->lower = lower;
	c->owner = owner;
	if (kind == 'A')
		c->new = *old;
	else
		c->old = *old;
	*ret = c;
	return 0;
}

static int show_below(struct walk *w, struct change *owner, const char *path,
		      const char *lower, char kind)
{
	struct tree_names names;
	struct tree_entry *entries;
	int r;

	{
		autoclose int dir = tree_open(w->sides->lower, lower,
					      O_RDONLY | O_DIRECTORY);

		if (dir < 0)
			return fail(errno, "open directory %s", lower);
		r = tree_names(w->arena, dir, &names);
		if (r < 0)
			return r;
		entries = arena_array(w->arena, names.n + 1, sizeof *entries);
		if (!entries)
			return -ENOMEM;
		for (size_t i = 0; r >= 0 && i < names.n; i++)
			r = tree_stat(dir, names.items[i], &entries[i]);
	}
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		const char *name = names.items[i];
		struct change *c;

		r = show_one(w, owner, tree_join(w->arena, path, name),
			     tree_join(w->arena, lower, name), kind,
			     &entries[i], &c);
		if (r >= 0 && tree_is_type(&entries[i], S_IFDIR))
			r = show_below(w, owner, c->path, c->lower, kind);
	}
	return r;
}

int walk_show_below(struct walk *w, struct change *owner, const char *lower,
		    char kind)
{
	return show_below(w, owner, owner->path, lower, kind);
}

int walk_show_moved_away(struct walk *w, const char *path,
			 const struct tree_entry *old)
{
	struct change *c;
	int r = show_one(w, NULL, path, path, 'D', old, &c);

	if (r < 0)
		return r;
	return show_below(w, c, path, path, 'D');
}

int walk_lower_only(struct walk *w, const char *dir, const char *lower_dir,
		    const char *name, int lower, bool deleted)
{
	const char *below = tree_join(w->arena, lower_dir, name);
	struct tree_entry entry;
	struct change *c;
	int r;

	if (!below)
		return -ENOMEM;
	r = tree_stat(lower, name, &entry);
	if (r < 0)
		return fail(-r, "look at %s", below);
	if (entry.mode == 0 || walk_is_moved(w, below))
		return 0;
	r = show_one(w, NULL, tree_join(w->arena, dir, name), below,
		     (char)(deleted ? 'D' : 'A'), &entry, &c);
	if (r < 0)
		return r;
	c->op = deleted ? CHANGE_DELETE : CHANGE_NOTHING;
	return tree_is_type(&entry, S_IFDIR) ?
		       show_below(w, c, c->path, below, c->kind) :
		       0;
}

bool walk_is_copy(const struct sides *sides, int upper, int lower,
		  const char *name)
{
	struct origin origin;

	return origin_read(upper, name, sides->prefix, &origin) &&
	       (origin.len == 0 || origin_is(&origin, lower, name));
}

bool walk_origin_is_gone(const struct sides *sides, int upper, const char *name)
{
	struct origin origin;

	return origin_read(upper, name, sides->prefix, &origin) &&
	       origin_is_gone(&origin, sides->lower);
}
