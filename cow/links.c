/* SPDX-License-Identifier: Apache-2.0 */
/* cow/links.c - files of the workdir with several names. */
#include "cow/links.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "cow/origin.h"

static struct link *add(struct arena *arena, struct links *list)
{
	list->items = arena_room(arena, list->items, list->n, &list->room,
				 sizeof *list->items);
	return list->items ? &list->items[list->n++] : NULL;
}

static int read_copy(struct arena *arena, const struct sides *sides, int dir,
		     const char *name, struct link *link)
{
	int r = tree_stat(dir, name, &link->new);

	if (r < 0)
		return fail(-r, "look at %s", name);
	link->copy = link->new.ino;
	return xattrs_read(arena, dir, name, sides->prefix, &link->xattrs);
}

/* The names of the index are handles; its whiteouts are of deleted files. */
static int from_index(struct arena *arena, const struct sides *sides,
		      struct links *list)
{
	struct tree_names names;
	int r = tree_names(arena, sides->index, &names);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		struct origin origin;
		struct tree_entry entry;
		struct link *link;
		uint64_t real;

		r = tree_stat(sides->index, names.items[i], &entry);
		if (r < 0 || !tree_is_type(&entry, S_IFREG) ||
		    !origin_read(sides->index, names.items[i], sides->prefix,
				 &origin))
			continue;
		real = origin_inode(&origin, sides->lower);
		if (real == 0)
			continue;
		link = add(arena, list);
		if (!link)
			return -ENOMEM;
		*link = (struct link){ .real = real };
		link->source = arena_printf(arena, "i:%s", names.items[i]);
		if (!link->source)
			return -ENOMEM;
		r = read_copy(arena, sides, sides->index, names.items[i], link);
	}
	return r;
}

static struct link *by_copy(const struct links *list, uint64_t copy)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].copy == copy && !list->items[i].off)
			return &list->items[i];
	return NULL;
}

static struct link *by_real(const struct links *list, uint64_t real)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].real == real)
			return &list->items[i];
	return NULL;
}

/*
 * Without an index two names of one file may have been changed in two ways, and
 * only one of them can be the content.
 */
static int add_own_copy(struct arena *arena, const struct sides *sides,
			struct change *c, struct links *list)
{
	struct link *link = by_real(list, c->old.ino);
	const char *name;
	autoclose int dir = tree_open_parent(sides->upper, c->path, &name);

	if (dir < 0)
		return fail(errno, "open %s", c->path);
	if (link && link->copy != c->new.ino) {
		c->conflict = arena_printf(arena,
					   "another name of %s, and changed in "
					   "another way",
					   link->path);
		link->off = true;
		return c->conflict ? 0 : -ENOMEM;
	}
	if (link)
		return 0;
	link = add(arena, list);
	if (!link)
		return -ENOMEM;
	*link = (struct link){ .real = c->old.ino, .path = c->lower };
	link->source = arena_printf(arena, "u:%s", c->path);
	return link->source ? read_copy(arena, sides, dir, name, link) :
			      -ENOMEM;
}

static int from_changes(struct arena *arena, const struct sides *sides,
			const struct changes *changes, struct links *list)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < changes->n; i++) {
		struct change *c = changes->items[i];

		if (c->op == CHANGE_REPLACE && c->copied && c->old.nlink > 1)
			r = add_own_copy(arena, sides, c, list);
	}
	return r;
}

/* Count the names of each file in the workdir, and note one of them. */
static int scan(struct arena *arena, const struct sides *sides,
		const char *path, struct links *list)
{
	autoclose int dir =
		tree_open(sides->lower, path, O_RDONLY | O_DIRECTORY);
	struct tree_names names;
	int r;

	if (dir < 0)
		return errno == EXDEV || errno == EACCES ?
			       0 :
			       fail(errno, "open directory %s", path);
	r = tree_names(arena, dir, &names);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		const char *below = tree_join(arena, path, names.items[i]);
		struct tree_entry entry;
		struct link *link;

		if (!below)
			return -ENOMEM;
		r = tree_stat(dir, names.items[i], &entry);
		if (r >= 0 && tree_is_type(&entry, S_IFDIR))
			r = scan(arena, sides, below, list);
		if (r < 0 || !tree_is_type(&entry, S_IFREG) || entry.nlink < 2)
			continue;
		link = by_real(list, entry.ino);
		if (!link)
			continue;
		link->names++;
		link->old = entry;
		if (!link->path)
			link->path = below;
	}
	return r;
}

/* The names outside of the workdir are not the branch's to change. */
static int settle(struct arena *arena, struct changes *changes,
		  const struct sides *sides, struct link *link)
{
	if (link->off)
		return 0;
	if (link->names == 0) {
		link->off = true;
		return 0;
	}
	if (sides->index >= 0 || link->names >= link->old.nlink)
		return 0;
	link->off = true;
	return changes_note(
		arena, changes,
		arena_printf(arena,
			     "%s has names outside of the workdir, which keep "
			     "the old content",
			     link->path));
}

static int compare(struct arena *arena, const struct sides *sides,
		   struct link *link)
{
	const char *name, *copy_name;
	int from = link->source[0] == 'i' ? sides->index : sides->upper;
	autoclose int dir = tree_open_parent(sides->lower, link->path, &name);
	autoclose int copy_dir =
		tree_open_parent(from, link->source + 2, &copy_name);
	struct xattrs old;
	int r;

	if (dir < 0 || copy_dir < 0)
		return fail(errno, "open %s", link->path);
	r = xattrs_read(arena, dir, name, NULL, &old);
	if (r < 0)
		return r;
	link->differs = link->old.mode != link->new.mode ||
			link->old.uid != link->new.uid ||
			link->old.gid != link->new.gid ||
			link->old.size != link->new.size ||
			link->old.mtime.tv_sec != link->new.mtime.tv_sec ||
			link->old.mtime.tv_nsec != link->new.mtime.tv_nsec ||
			!xattrs_equal(&old, &link->xattrs);
	if (link->differs)
		return 0;
	r = changes_same_bytes(dir, name, copy_dir, copy_name);
	link->differs = r == 0;
	return r;
}

/* A file that was changed by a name which is deleted now has no change yet. */
static int show(struct arena *arena, struct changes *changes,
		const struct link *link, size_t number)
{
	struct change *c;

	for (size_t i = 0; i < changes->n; i++)
		if (changes->items[i]->link == number &&
		    changes->items[i]->op == CHANGE_NOTHING)
			return 0;
	c = changes_add(arena, changes);
	if (!c)
		return -ENOMEM;
	*c = (struct change){ .kind = 'M',
			      .path = link->path,
			      .lower = link->path,
			      .old = link->old,
			      .new = link->new,
			      .differs = DIFFERS_CONTENT,
			      .link = number };
	return 0;
}

/* link: the number in the list and one, because 0 means none. */
static void assign(struct changes *changes, const struct links *list)
{
	for (size_t i = 0; i < changes->n; i++) {
		struct change *c = changes->items[i];
		struct link *link;

		if ((c->op != CHANGE_REPLACE && c->op != CHANGE_ADD) ||
		    !tree_is_type(&c->new, S_IFREG))
			continue;
		link = by_copy(list, c->new.ino);
		if (!link)
			continue;
		c->link = (size_t)(link - list->items) + 1;
		c->op = c->old.mode && c->old.ino == link->real ?
				CHANGE_NOTHING :
				CHANGE_LINK;
	}
}

int links_find(struct arena *arena, const struct sides *sides,
	       struct changes *changes, struct links *ret)
{
	struct links list = { 0 };
	int r = sides->index >= 0 ? from_index(arena, sides, &list) :
				    from_changes(arena, sides, changes, &list);

	if (r >= 0 && list.n > 0)
		r = scan(arena, sides, "", &list);
	for (size_t i = 0; r >= 0 && i < list.n; i++)
		r = settle(arena, changes, sides, &list.items[i]);
	if (r < 0)
		return fail_in(r, "find the names of files");
	assign(changes, &list);
	for (size_t i = 0; r >= 0 && i < list.n; i++) {
		struct link *link = &list.items[i];

		if (link->off)
			continue;
		r = compare(arena, sides, link);
		if (r >= 0 && link->differs)
			r = show(arena, changes, link, i + 1);
	}
	*ret = list;
	return r < 0 ? r : 0;
}
