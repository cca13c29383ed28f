/* SPDX-License-Identifier: Apache-2.0 */
/* policy/glob_expand.c - find the files that a pattern matches. */
#include <dirent.h>
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
#include "base/open.h"
#include "base/root.h"
#include "base/util.h"
#include "oci/oci.h"
#include "policy/glob.h"
#include "policy/glob_parts.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define ITEMS (2 * (size_t)POLICY_GLOB_MAX)
/* Each of these levels uses a descriptor; deeper ones are walked later. */
#define MOST_LEVELS 64
/* The current directory cannot be searched. */
#define CLOSED 1
#define SHOWN 200 /* bytes printed of a path */

/* A directory that is still to be searched, and the pattern for it. */
struct pending {
	const char *path;
	const char *pattern;
};

struct walk {
	struct arena *arena;
	const char *pattern; /* the whole pattern, for messages */
	const char **items;
	size_t n;
	struct strings closed; /* directories that we cannot search */
	struct pending *pending;
	size_t npending, size;
	size_t level;
	char path[PATH_MAX]; /* of the directory, no slash at the end */
	size_t len;
	size_t start; /* length of the first directory's path */
};

static int walk_dir(struct walk *w, int dir, const char *pattern);

/* Not accessible, removed meanwhile, or a link: no match, and no error. */
static bool is_no_match(int error)
{
	return error == EACCES || error == ENOENT || error == ENOTDIR ||
	       error == ELOOP;
}

static int push(struct walk *w, const char *name, size_t len)
{
	if (w->len + 1 + len >= sizeof w->path)
		return CLOSED;
	w->path[w->len] = '/';
	memcpy(w->path + w->len + 1, name, len);
	w->len += 1 + len;
	w->path[w->len] = '\0';
	return 0;
}

static void pop(struct walk *w, size_t len)
{
	w->len = len;
	w->path[len] = '\0';
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* If a pattern contains "**" twice, it finds some names twice. */
static int keep_unique(struct walk *w)
{
	size_t kept = 0;

	qsort(w->items, w->n, sizeof *w->items, by_text);
	for (size_t i = 0; i < w->n; i++)
		if (kept == 0 || !streq(w->items[kept - 1], w->items[i]))
			w->items[kept++] = w->items[i];
	w->n = kept;
	if (kept > POLICY_GLOB_MAX)
		return fail(0,
			    "%s matches more than %d names, the maximum: use a "
			    "narrower pattern",
			    w->pattern, POLICY_GLOB_MAX);
	return 0;
}

static int add(struct walk *w)
{
	int r = w->n < ITEMS ? 0 : keep_unique(w);

	if (r < 0)
		return r;
	w->items[w->n] = arena_strdup(w->arena, w->path);
	if (!w->items[w->n])
		return -ENOMEM;
	w->n++;
	return 0;
}

/*
 * Record that the current directory may contain anything. Denying it means
 * protecting each level above, so record an ancestor if it is too deep.
 */
static int close_dir(struct walk *w)
{
	struct strings *closed = &w->closed;
	const char *end = w->path + w->start, *path, **items;

	for (size_t i = 0; i < MOST_LEVELS && *end; i++)
		end += 1 + strcspn(end + 1, "/");
	path = end == w->path ? "/" :
				arena_strndup(w->arena, w->path,
					      (size_t)(end - w->path));
	if (!path)
		return -ENOMEM;
	if (closed->n && streq(closed->items[closed->n - 1], path))
		return 0;
	if (closed->n == POLICY_GLOB_MAX)
		return fail(0,
			    "%s: more than %d directories to search, the "
			    "maximum: use a narrower pattern",
			    w->pattern, POLICY_GLOB_MAX);
	/* Double the allocation at each power of two. */
	if ((closed->n & (closed->n - 1)) == 0) {
		items = arena_grow(w->arena, closed->items, closed->n,
				   2 * closed->n + 2, sizeof *items);
		if (!items)
			return -ENOMEM;
		closed->items = items;
	}
	closed->items[closed->n++] = path;
	return 0;
}

static bool is_own(int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && st.st_uid == geteuid();
}

/*
 * A workload that may enter a directory can open files by name, and one that
 * owns it can chmod it first. Otherwise it cannot reach the contents.
 */
static int no_entry(struct walk *w, int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == EACCES && is_own(dir) ? CLOSED : 0;
	if (S_ISDIR(st.st_mode) &&
	    (st.st_uid == geteuid() ||
	     faccessat(dir, name, X_OK, AT_EACCESS) == 0))
		return close_dir(w);
	return 0;
}

/* Defer the directory until the descriptors of those above are closed. */
static int walk_later(struct walk *w, const char *pattern)
{
	const char *path = arena_strdup(w->arena, w->path);
	struct pending *pending = arena_room(w->arena, w->pending, w->npending,
					     &w->size, sizeof *pending);

	if (!path || !pending)
		return -ENOMEM;
	w->pending = pending;
	w->pending[w->npending++] = (struct pending){ path, pattern };
	return 0;
}

/* Continue with the rest of the pattern below an entry of dir. */
static int enter(struct walk *w, int dir, const char *name, const char *rest)
{
	autoclose int fd = openat(dir, name, OPEN_DIR | O_NOFOLLOW);
	int r;

	if (fd < 0 && errno == EACCES)
		return no_entry(w, dir, name);
	if (fd < 0 && is_no_match(errno))
		return 0;
	if (fd < 0)
		return fail(errno, "open %s to match the pattern %s", w->path,
			    w->pattern);
	if (w->level == MOST_LEVELS)
		return walk_later(w, rest);
	w->level++;
	r = walk_dir(w, fd, rest);
	w->level--;
	return r == CLOSED ? close_dir(w) : r;
}

/* Some file systems do not tell the type. */
static bool may_be_dir(unsigned char type)
{
	return type == DT_DIR || type == DT_UNKNOWN;
}

/* Match an existing entry with the first part of a pattern. */
static int visit(struct walk *w, int dir, const char *name, unsigned char type,
		 const char *pattern)
{
	const char *rest = pattern;
	struct glob_part part = glob_part_next(&rest);
	bool deep = glob_part_is_deep(part);
	size_t len = w->len;
	int r;

	if (!deep && !glob_part_match(part, name, strlen(name)))
		return 0;
	r = push(w, name, strlen(name));
	if (r == 0 && !*rest)
		r = add(w);
	if (r == 0 && (deep || *rest) && may_be_dir(type))
		r = enter(w, dir, name, deep ? pattern : rest);
	pop(w, len);
	return r;
}

static int visit_all(struct walk *w, int dir, const char *pattern)
{
	autoclose int fd = openat(dir, ".", OPEN_DIR);
	autoclosedir DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	/* We can list but not enter it; its owner could chmod it. */
	if (!entries && errno == EACCES && is_own(dir))
		return CLOSED;
	if (!entries && is_no_match(errno))
		return 0;
	if (!entries)
		return fail(errno, "list %s/ to match the pattern %s", w->path,
			    w->pattern);
	(void)take_fd(&fd);
	for (errno = 0; r == 0 && (entry = readdir(entries)); errno = 0)
		if (!streq(entry->d_name, ".") && !streq(entry->d_name, ".."))
			r = visit(w, dir, entry->d_name, entry->d_type,
				  pattern);
	if (r == 0 && errno)
		return fail(errno, "list %s/ to match the pattern %s", w->path,
			    w->pattern);
	return r;
}

/* Look up a known name without reading the directory. */
static int visit_one(struct walk *w, int dir, const char *name,
		     const char *pattern)
{
	struct stat st;

	if (streq(name, ".."))
		return fail(0,
			    "%s: '..' cannot follow a pattern: write the path "
			    "without it",
			    w->pattern);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return visit(w, dir, name, IFTODT(st.st_mode), pattern);
	if (errno == EACCES && is_own(dir))
		return CLOSED;
	if (is_no_match(errno))
		return 0;
	return fail(errno, "examine %s/%s to match the pattern %s", w->path,
		    name, w->pattern);
}

static int walk_dir(struct walk *w, int dir, const char *pattern)
{
	const char *rest = pattern;
	struct glob_part part = glob_part_next(&rest);
	char name[NAME_MAX + 1];
	int r = 0;

	if (!glob_part_is_wild(part)) {
		if (!glob_part_unquote(part, name, sizeof name))
			return 0;
		return visit_one(w, dir, name, pattern);
	}
	if (glob_part_is_deep(part) && *rest)
		r = walk_dir(w, dir, rest);
	return r != 0 ? r : visit_all(w, dir, pattern);
}

/* Walk the deferred directories, each opened by its path from the start. */
static int walk_pending(struct walk *w, int start)
{
	int r = 0;

	while (r == 0 && w->npending) {
		struct pending next = w->pending[--w->npending];
		autoclose int dir = root_open_plain(start, next.path + w->start,
						    OPEN_DIR | O_NOFOLLOW);

		if (dir < 0 && is_no_match(errno))
			continue;
		if (dir < 0)
			return fail(errno, "open %s to match the pattern %s",
				    next.path, w->pattern);
		w->len = strlen(next.path);
		memcpy(w->path, next.path, w->len + 1);
		r = walk_dir(w, dir, next.pattern);
		if (r == CLOSED)
			r = close_dir(w);
	}
	return r;
}

/* Open the components before the first wildcard and before the last one. */
static int open_start(struct walk *w, int root, const char **pattern)
{
	const char *rest = *pattern;
	char name[NAME_MAX + 1];
	int r;

	for (;;) {
		struct glob_part part = glob_part_next(&rest);

		if (!*rest || glob_part_is_wild(part))
			return root_open(root, w->len ? w->path : "/",
					 OPEN_DIR);
		if (!glob_part_unquote(part, name, sizeof name)) {
			errno = ENOENT;
			return -1;
		}
		r = push(w, name, strlen(name));
		if (r != 0) {
			errno = ENAMETOOLONG;
			return -1;
		}
		*pattern = rest;
	}
}

/* We cannot list the first directory, or cannot enter one above it. */
static int close_start(struct walk *w, int root)
{
	for (;;) {
		autoclose int dir = root_open(root, w->len ? w->path : "/",
					      O_PATH | O_DIRECTORY | O_CLOEXEC);

		w->start = w->len;
		if (dir >= 0)
			return is_own(dir) || faccessat(dir, ".", X_OK,
							AT_EACCESS) == 0 ?
				       close_dir(w) :
				       0;
		if (errno != EACCES || !w->len)
			return 0;
		pop(w, (size_t)(strrchr(w->path, '/') - w->path));
	}
}

int policy_glob_search(struct arena *arena, int root, const char *pattern,
		       struct strings *ret, struct strings *ret_closed)
{
	struct walk w = { .arena = arena, .pattern = pattern };
	autoclose int start = -1;
	int r = 0;

	w.items = arena_array(arena, ITEMS, sizeof *w.items);
	if (!w.items)
		return -ENOMEM;
	start = open_start(&w, root, &pattern);
	w.start = w.len;
	if (start >= 0)
		r = walk_dir(&w, start, pattern);
	else if (errno == EACCES)
		r = close_start(&w, root);
	else if (!is_no_match(errno))
		r = fail(errno, "open %s to match the pattern %s", w.path,
			 w.pattern);
	if (r == CLOSED)
		r = close_dir(&w);
	if (r == 0)
		r = walk_pending(&w, start);
	if (r == 0)
		r = keep_unique(&w);
	if (r < 0)
		return r;
	w.items[w.n] = NULL;
	*ret = (struct strings){ .items = w.items, .n = w.n };
	*ret_closed = w.closed;
	return 0;
}

int policy_glob_expand(struct arena *arena, int root, const char *pattern,
		       struct strings *ret)
{
	struct strings closed;

	return policy_glob_search(arena, root, pattern, ret, &closed);
}

int policy_glob_find_all(struct arena *arena, int root, const char *pattern,
			 struct strings *ret)
{
	struct strings closed;
	int r = policy_glob_search(arena, root, pattern, ret, &closed);

	if (r == 0 && closed.n)
		return fail(0, "cannot search %.*s (make it readable)", SHOWN,
			    closed.items[0]);
	return r;
}
