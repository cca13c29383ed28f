/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_way.c - walk a path in a root that is not trusted: find the
 * links in it, and where it ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/files.h"

#define MAX_LINKS 40

struct walk {
	struct arena *arena;
	struct files_way *way;
	size_t links;
	bool leapt;	     /* since the last link */
	char done[PATH_MAX]; /* resolved so far; "": the root */
	char rest[2 * PATH_MAX];
};

static int add_step(struct walk *w, const char *target)
{
	struct files_way *way = w->way;
	struct files_step *steps = arena_grow(w->arena, way->steps, way->n,
					      way->n + 1, sizeof *steps);

	if (!steps)
		return -ENOMEM;
	way->steps = steps;
	steps[way->n] = (struct files_step){
		.path = arena_strdup(w->arena, w->done),
		.target = target ? arena_strdup(w->arena, target) : NULL,
	};
	if (!steps[way->n].path || (target && !steps[way->n].target))
		return -ENOMEM;
	way->n++;
	return 0;
}

static void leave(struct walk *w)
{
	char *slash = strrchr(w->done, '/');

	if (slash)
		*slash = '\0';
}

/* Move to the next component; returns 0 when none is left. */
static int advance(struct walk *w)
{
	const char *name = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(name, "/"), at = strlen(w->done);
	int r = 0;

	if (len == 0)
		return 0;
	if (len == 2 && strncmp(name, "..", 2) == 0) {
		r = w->done[0] ? add_step(w, NULL) : 0;
		leave(w);
	} else if (len > 1 || *name != '.') {
		if (at + len + 2 > sizeof w->done)
			return fail(ENAMETOOLONG, "resolve the path %s",
				    w->done);
		w->done[at] = '/';
		memcpy(w->done + at + 1, name, len);
		w->done[at + 1 + len] = '\0';
	}
	memmove(w->rest, name + len, strlen(name + len) + 1);
	return r < 0 ? r : 1;
}

/* Replace the current link by its target. */
static int follow(struct walk *w, int fd)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(fd, "", target, sizeof target);
	int r;

	if (n < 0)
		return fail(errno, "read the symbolic link %s", w->done);
	if (n == sizeof target || strlen(w->rest) >= sizeof rest)
		return fail(ENAMETOOLONG, "follow the symbolic link %s",
			    w->done);
	target[n] = '\0';
	r = add_step(w, target);
	if (r < 0)
		return r;
	w->leapt = false;
	memcpy(rest, w->rest, strlen(w->rest) + 1);
	/* The rest is empty, or begins with a slash. */
	snprintf(w->rest, sizeof w->rest, "%s%s", target, rest);
	if (target[0] == '/')
		w->done[0] = '\0';
	else
		leave(w);
	return 0;
}

static bool has_more(const struct walk *w)
{
	return w->rest[strspn(w->rest, "/")];
}

/* Examine the current file, open as fd; false means that the path ends here. */
static int look_at(struct walk *w, int fd, bool *ret_on)
{
	struct files_way *way = w->way;
	struct stat st;

	*ret_on = false;
	if (fd < 0 || fstat(fd, &st) < 0) {
		int r = fail(errno, "open %s", w->done);

		leave(w);
		return r;
	}
	if (S_ISLNK(st.st_mode) && w->links++ < MAX_LINKS) {
		*ret_on = true;
		return follow(w, fd);
	}
	way->mode = st.st_mode;
	way->nlinks = st.st_nlink;
	way->occupied = S_ISLNK(st.st_mode) ||
			(!S_ISDIR(st.st_mode) && has_more(w));
	*ret_on = !way->occupied;
	return 0;
}

/* Go to the next component. */
static int step(struct walk *w, int root, bool *ret_on)
{
	autoclose int fd = -1;
	int r = advance(w);

	if (r <= 0 || !w->done[0])
		return r;
	fd = root_open_plain(root, w->done, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		w->way->missing = true;
		*ret_on = false;
		return 0;
	}
	return look_at(w, fd, ret_on);
}

/* False if a path has empty components, "." or "..". */
static bool is_tidy(const char *name)
{
	for (;;) {
		size_t len = strcspn(name, "/");

		if (len == 0 || (len == 1 && name[0] == '.') ||
		    (len == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		if (!name[len])
			return true;
		name += len + 1;
	}
}

/* Get the whole path that is left; false if it has "." or ".." in it. */
static bool join_rest(const struct walk *w, char path[static PATH_MAX])
{
	const char *name = w->rest + strspn(w->rest, "/");
	int n = snprintf(path, PATH_MAX, "%s/%s", w->done, name);

	return *name && n >= 0 && n < PATH_MAX && is_tidy(name);
}

bool files_has_no_links(int root, const char *path, bool *ret_missing)
{
	autoclose int fd = -1;

	*ret_missing = false;
	if (path[0] != '/' || !is_tidy(path + 1))
		return false;
	fd = root_open_plain(root, path, O_PATH | O_CLOEXEC);
	*ret_missing = fd < 0 && errno == ENOENT;
	return fd >= 0 || *ret_missing;
}

/* Return the length of the last directory that exists; -1 if in doubt. */
static ssize_t existing(int root, const char *path)
{
	char dir[PATH_MAX], *slash;

	memcpy(dir, path, strlen(path) + 1);
	while ((slash = strrchr(dir, '/')) != dir) {
		*slash = '\0';
		autoclose int fd =
			root_open_plain(root, dir,
					O_PATH | O_DIRECTORY | O_NOFOLLOW |
						O_CLOEXEC);

		if (fd >= 0)
			return slash - dir;
		if (errno != ENOENT)
			return -1;
	}
	return 0;
}

static void stand_at(struct walk *w, const char *path, size_t len)
{
	memcpy(w->done, path, len);
	w->done[len] = '\0';
	memcpy(w->rest, path + len, strlen(path + len) + 1);
}

/*
 * Most paths contain no link, so try the whole path at once. Returns 0 if it
 * takes single steps to find out more.
 */
static int leap(struct walk *w, int root, bool *ret_on)
{
	char path[PATH_MAX];
	autoclose int fd = -1;
	ssize_t known;
	int r;

	if (w->leapt || !join_rest(w, path))
		return 0;
	w->leapt = true;
	fd = root_open_plain(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		stand_at(w, path, strlen(path));
		r = look_at(w, fd, ret_on);
		return r < 0 ? r : 1;
	}
	known = errno == ENOENT ? existing(root, path) : -1;
	if (known < 0)
		return 0;
	stand_at(w, path, (size_t)known + 1 + strcspn(path + known + 1, "/"));
	w->way->missing = true;
	*ret_on = false;
	return 1;
}

bool files_top_link(int root, int dir, const char *name,
		    char target[static PATH_MAX], char end[static PATH_MAX + 1])
{
	ssize_t n = readlinkat(dir, name, target, PATH_MAX);
	bool missing;

	if (n <= 0 || n == PATH_MAX)
		return false;
	target[n] = '\0';
	snprintf(end, PATH_MAX + 1, "%s%s", target[0] == '/' ? "" : "/",
		 target);
	return files_has_no_links(root, end, &missing) && !missing;
}

int files_way(struct arena *arena, int root, const char *path,
	      struct files_way *ret)
{
	struct files_way way = { 0 };
	struct walk w = { .arena = arena, .way = &way };
	bool on = true;
	int r = 0;

	if (strlen(path) >= sizeof w.done)
		return fail(ENAMETOOLONG, "resolve the path %s", path);
	memcpy(w.rest, path, strlen(path) + 1);
	while (on && r >= 0 && has_more(&w)) {
		r = leap(&w, root, &on);
		if (r == 0)
			r = step(&w, root, &on);
	}
	if (r < 0 && r != -EACCES)
		return r;
	way.leaf = !has_more(&w);
	way.rest = arena_strdup(arena, w.rest + strspn(w.rest, "/"));
	way.end = arena_strdup(arena, w.done[0] ? w.done : "/");
	*ret = way;
	return !way.end || !way.rest ? -ENOMEM : r < 0 ? r : 0;
}
