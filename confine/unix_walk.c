/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_walk.c - search directories for Unix sockets.
 *
 * A directory that cannot be listed may contain sockets.
 */
#include "confine/unix_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/files.h"

#define MOST_SOCKETS 10000
/* The search keeps one descriptor per level, and does deeper levels later. */
#define MOST_LEVELS 64
#define ENTRIES 2048
#define TOO_DEEP 1 /* the path would exceed PATH_MAX */
#define SHOWN 200  /* bytes of a long path in a warning */

static bool is_listed(const struct unix_walk *w)
{
	for (size_t i = 0; i < w->listed.n; i++)
		if (files_is_at_or_below(w->path, w->listed.items[i]))
			return true;
	return false;
}

/* Add the current path of the search. */
static int add_to(struct unix_paths *list, const struct unix_walk *w)
{
	const char **items = arena_room(w->arena, list->items, list->n,
					&list->size, sizeof *items);

	if (!items)
		return -ENOMEM;
	list->items = items;
	list->items[list->n] = arena_strdup(w->arena, w->path);
	return list->items[list->n++] ? 0 : -ENOMEM;
}

/* Remember a socket, or a directory whose contents are unknown. */
static int cover_later(struct unix_walk *w)
{
	if (is_listed(w))
		return 0;
	if (w->found.n == MOST_SOCKETS)
		return fail(0,
			    "network.unix: more than %d Unix sockets outside "
			    "the sandbox cannot be covered: list their "
			    "directories in filesystem.deny",
			    MOST_SOCKETS);
	return add_to(&w->found, w);
}

static int search_below(struct unix_walk *w, int fd);

/* At the last level, leave the directory for later to save descriptors. */
static int search_dir(struct unix_walk *w, int dir, const char *name)
{
	int fd = sys_openat2(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0,
			     KERNEL_RESOLVE_NO_XDEV);
	int r;

	if (fd >= 0 && w->level == MOST_LEVELS) {
		close(fd);
		return add_to(&w->pending, w);
	}
	w->level++;
	r = search_below(w, fd);
	w->level--;
	return r;
}

static int type_of(int dir, const struct kernel_dirent *entry)
{
	struct stat st;

	if (entry->type != DT_UNKNOWN)
		return entry->type;
	if (fstatat(dir, entry->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return IFTODT(st.st_mode);
}

static int search_entry(struct unix_walk *w, int dir,
			const struct kernel_dirent *entry)
{
	size_t len = strlen(w->path), top = streq(w->path, "/") ? 0 : len;
	int type = type_of(dir, entry), r = 0;

	if ((type != DT_SOCK && type != DT_DIR) || streq(entry->name, ".") ||
	    streq(entry->name, ".."))
		return 0;
	if (top + strlen(entry->name) + 2 > sizeof w->path)
		return TOO_DEEP;
	w->path[top] = '/';
	strcpy(w->path + top + 1, entry->name);
	r = type == DT_SOCK ? cover_later(w) : search_dir(w, dir, entry->name);
	w->path[len] = '\0';
	return r;
}

/*
 * The workload cannot connect to sockets in a directory that it cannot enter,
 * but it can change the mode of a directory that it owns.
 */
static bool may_enter(const struct unix_walk *w)
{
	autoclose int fd = root_open_plain(w->root, w->path,
					   O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	return (fstat(fd, &st) == 0 && st.st_uid == geteuid()) ||
	       faccessat(fd, ".", X_OK, AT_EACCESS) == 0 || errno != EACCES;
}

/*
 * A process that knows the name of a socket in there can connect to it, so
 * cover the whole directory, unless something in it must stay visible.
 */
static int closed_directory(struct unix_walk *w)
{
	if (!may_enter(w) || is_listed(w))
		return 0;
	if (!w->is_wanted(w, w->path))
		return cover_later(w);
	log_warning("network.unix: %s can be entered but not listed, so a "
		    "socket in it may stay open: list it in filesystem.deny",
		    w->path);
	return 0;
}

/* Paths in it exceed PATH_MAX, so cover the directory as a whole. */
static int deep_directory(struct unix_walk *w)
{
	if (w->is_wanted(w, w->path))
		return fail(ENAMETOOLONG,
			    "network.unix: search for sockets in %s", w->path);
	if (w->ndeep++ == 0)
		log_warning(
			"network.unix: cannot search for sockets in %.*s..., "
			"which is nested too deep, so the directory is covered",
			SHOWN, w->path);
	return cover_later(w);
}

/* We are out of descriptors or memory; the directory may well be open. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/*
 * Skip other mounts, which are searched separately, and files that are gone.
 * This does not use DIR, as there may be thousands of directories, most of them
 * empty.
 */
static int search_below(struct unix_walk *w, int fd)
{
	_Alignas(struct kernel_dirent) char entries[ENTRIES];
	autoclose int dir = fd;
	long n;

	if (fd < 0 && (errno == EXDEV || errno == ENOENT || errno == ENOTDIR ||
		       errno == ELOOP))
		return 0;
	if (fd < 0 && is_shortage(errno))
		return fail(errno, "network.unix: search for sockets in %s",
			    w->path);
	if (fd < 0)
		return closed_directory(w);
	while ((n = syscall(SYS_getdents64, dir, entries, sizeof entries)) > 0)
		for (long at = 0; at < n;) {
			const struct kernel_dirent *entry =
				(const void *)(entries + at);
			int r = search_entry(w, dir, entry);

			if (r != 0)
				return r == TOO_DEEP ? deep_directory(w) : r;
			at += entry->len;
		}
	/* The directory was removed in the meantime. */
	return n < 0 && errno != ENOENT ? closed_directory(w) : 0;
}

/* Search the directories that were left for later, each from the root. */
static int search_pending(struct unix_walk *w)
{
	int r = 0;

	while (r == 0 && w->pending.n) {
		strcpy(w->path, w->pending.items[--w->pending.n]);
		r = search_below(w, root_open_plain(w->root, w->path,
						    O_RDONLY | O_DIRECTORY |
							    O_CLOEXEC));
	}
	return r;
}

int unix_walk_mount(struct unix_walk *w, const char *place)
{
	autoclose int fd = root_open_plain(w->root, place,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	/*
	 * It is below another mount, or covered. If a directory above it is
	 * closed, closed_directory decides when the search gets there.
	 */
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
		       errno == EACCES))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "network.unix: open %s", place);
	if (strlen(place) >= sizeof w->path)
		return fail(ENAMETOOLONG,
			    "network.unix: search for sockets in %s", place);
	strcpy(w->path, place);
	if (S_ISSOCK(st.st_mode))
		return cover_later(w);
	if (!S_ISDIR(st.st_mode))
		return 0;
	r = search_below(w,
			 openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return r < 0 ? r : search_pending(w);
}

int unix_walk_add(struct unix_walk *w, const char *path)
{
	if (strlen(path) >= sizeof w->path)
		return fail(ENAMETOOLONG, "network.unix: cover %s", path);
	strcpy(w->path, path);
	return cover_later(w);
}

int unix_walk_closed(struct unix_walk *w, const char *path)
{
	if (strlen(path) >= sizeof w->path)
		return fail(ENAMETOOLONG, "network.unix: cover %s", path);
	strcpy(w->path, path);
	return closed_directory(w);
}
