/* SPDX-License-Identifier: Apache-2.0 */
/* cow/xattrs.c - extended attributes of a file, and marks of the overlay. */
#include "cow/xattrs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

#define ESCAPE "overlay."
#define LIST_SIZE 65536
#define VALUE_SIZE 65536
#define NAME_SIZE 256

/* The l*xattr calls do not follow the entry if that is a symbolic link. */
struct place {
	char path[PATH_MAX];
};

static void name_place(int dir, const char *name, struct place *ret)
{
	snprintf(ret->path, sizeof ret->path, "/proc/self/fd/%d/%s", dir, name);
}

/* Return the name that the attribute has outside; NULL: a mark. */
static const char *own_name(const char *name, const char *prefix)
{
	const char *rest;

	if (!prefix || !starts_with(name, prefix))
		return name;
	rest = name + strlen(prefix);
	return starts_with(rest, ESCAPE) ? rest : NULL;
}

static int add(struct arena *arena, const struct place *place,
	       const char *stored, const char *prefix, struct xattrs *list)
{
	char value[VALUE_SIZE];
	const char *name = own_name(stored, prefix);
	ssize_t len;
	struct xattr *item = &list->items[list->n];

	if (!name)
		return 0;
	len = lgetxattr(place->path, stored, value, sizeof value);
	if (len < 0)
		return errno == ENODATA ?
			       0 :
			       fail(errno, "read attribute %s", stored);
	item->name = name == stored ? arena_strdup(arena, stored) :
				      arena_printf(arena, "%s%s", prefix,
						   name + strlen(ESCAPE));
	item->value = arena_strndup(arena, value, (size_t)len);
	item->len = (size_t)len;
	if (!item->name || !item->value)
		return -ENOMEM;
	list->n++;
	return 0;
}

static int list_names(const struct place *place, char *ret, size_t size,
		      size_t *ret_n)
{
	ssize_t len = llistxattr(place->path, ret, size);

	if (len < 0 && errno != EOPNOTSUPP)
		return fail(errno, "list attributes");
	*ret_n = len > 0 ? (size_t)len : 0;
	return 0;
}

static size_t count_names(const char *names, size_t len)
{
	size_t n = 0;

	for (const char *p = names; p < names + len; p += strlen(p) + 1)
		n++;
	return n;
}

int xattrs_read(struct arena *arena, int dir, const char *name,
		const char *prefix, struct xattrs *ret)
{
	struct xattrs list = { 0 };
	char names[LIST_SIZE];
	struct place place;
	size_t len = 0;
	int r;

	name_place(dir, name, &place);
	r = list_names(&place, names, sizeof names, &len);
	if (r < 0 || len == 0) {
		*ret = list;
		return r;
	}
	list.items =
		arena_array(arena, count_names(names, len), sizeof *list.items);
	if (!list.items)
		return -ENOMEM;
	for (const char *p = names; r >= 0 && p < names + len;
	     p += strlen(p) + 1)
		r = add(arena, &place, p, prefix, &list);
	*ret = list;
	return r;
}

static const struct xattr *find(const struct xattrs *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (streq(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

static bool has(const struct xattrs *list, const struct xattr *item)
{
	const struct xattr *found = find(list, item->name);

	return found && found->len == item->len &&
	       memcmp(found->value, item->value, item->len) == 0;
}

bool xattrs_equal(const struct xattrs *a, const struct xattrs *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!has(b, &a->items[i]))
			return false;
	return a->n == b->n;
}

/*
 * A security module labels files by itself, and may not let the caller do it.
 */
static bool may_fail(const char *name)
{
	return starts_with(name, "security.") && errno == EPERM;
}

int xattrs_write(struct arena *arena, int dir, const char *name,
		 const struct xattrs *wanted)
{
	struct place place;
	struct xattrs now;
	int r = xattrs_read(arena, dir, name, NULL, &now);

	name_place(dir, name, &place);
	for (size_t i = 0; r >= 0 && i < now.n; i++) {
		const char *old = now.items[i].name;

		if (!find(wanted, old) && lremovexattr(place.path, old) < 0 &&
		    errno != ENODATA && !may_fail(old))
			r = fail(errno, "remove attribute %s", old);
	}
	for (size_t i = 0; r >= 0 && i < wanted->n; i++) {
		const struct xattr *item = &wanted->items[i];

		if (!has(&now, item) &&
		    lsetxattr(place.path, item->name, item->value, item->len,
			      0) < 0 &&
		    !may_fail(item->name))
			r = fail(errno, "set attribute %s", item->name);
	}
	return r;
}

/* Attributes of users need the right to write the file; the mode is set later. */
static int remove_one(int dir, const char *name, const struct place *place,
		      const char *stored)
{
	if (lremovexattr(place->path, stored) == 0)
		return 0;
	if (errno != EACCES)
		return -1;
	if (fchmodat(dir, name, S_IRUSR | S_IWUSR, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return lremovexattr(place->path, stored);
}

int xattrs_strip(int dir, const char *name, const char *prefix)
{
	char names[LIST_SIZE];
	struct place place;
	size_t len = 0;
	int r;

	name_place(dir, name, &place);
	r = list_names(&place, names, sizeof names, &len);
	for (const char *p = names; r >= 0 && p < names + len;
	     p += strlen(p) + 1)
		if (starts_with(p, prefix) &&
		    remove_one(dir, name, &place, p) < 0 && errno != ENODATA)
			r = fail(errno, "remove attribute %s", p);
	return r;
}

int xattrs_find_marks(int dir, const char *name, const char *prefix,
		      enum xattrs_marks *ret)
{
	char names[LIST_SIZE];
	struct place place;
	size_t len = 0;
	int r;

	name_place(dir, name, &place);
	r = list_names(&place, names, sizeof names, &len);
	if (r < 0)
		return r;
	*ret = MARKS_NONE;
	for (const char *p = names; p < names + len; p += strlen(p) + 1) {
		if (!starts_with(p, prefix))
			continue;
		if (own_name(p, prefix))
			*ret = MARKS_AND_DATA;
		else if (*ret == MARKS_NONE)
			*ret = MARKS_ONLY;
	}
	return 0;
}

ssize_t xattrs_mark(int dir, const char *name, const char *prefix,
		    const char *mark, char *ret, size_t size)
{
	char full[NAME_SIZE];
	struct place place;

	name_place(dir, name, &place);
	snprintf(full, sizeof full, "%s%s", prefix, mark);
	return lgetxattr(place.path, full, ret, size);
}

char xattrs_opaque(int dir, const char *name, const char *prefix)
{
	char value[1];

	return (char)(xattrs_mark(dir, name, prefix, "opaque", value,
				  sizeof value) == 1 ?
			      value[0] :
			      0);
}
