/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/placeholders.c - make, share and remove placeholders.
 *
 * The state directory lists "ID PARENT PATH" of each; PARENT is the device and
 * inode of the directory it is in. Meanwhile we have a lock on the registry.
 *
 * Other processes may write to these directories and replace anything there by
 * a link or another file. So a path only serves to find the directory again: a
 * file is removed only if both the directory and the file are the ones that
 * were recorded when the placeholder was made.
 */
#include "runtime/enforce/placeholders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/files.h"
#include "oci/oci.h"
#include "runtime/enforce/placeholders.h"

#define LIST "placeholders"
#define UNKNOWN "-" /* not made yet, so it has no ID */
#define MAX_LIST (8UL << 20)
#define ID PLACEHOLDER_ID

/* ---- the list in the state directory ---- */

/*
 * A file that only grows: each line has a NUL at the end. A line with UNKNOWN
 * counts as long as it is the last one.
 */
struct list {
	int fd;
};

#define LIST_NONE        \
	{                \
		.fd = -1 \
	}

static void close_list(struct list *list)
{
	closep(&list->fd);
}

static int note(const struct placeholders *p, struct list *list,
		const char *line)
{
	int r;

	if (list->fd < 0)
		list->fd = openat(p->state, LIST,
				  O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW |
					  O_CLOEXEC,
				  0600);
	if (list->fd < 0)
		return fail(errno,
			    "open the file " LIST
			    " in the state directory (it lists the empty "
			    "files made for denied names)");
	r = io_write_all(list->fd, line, strlen(line) + 1);
	return r < 0 ? fail(-r, "write the file " LIST
				" in the state directory (it lists the empty "
				"files made for denied names)") :
		       0;
}

/* An empty line: the one before it no longer counts. */
static int note_nothing(const struct placeholders *p, struct list *list)
{
	return note(p, list, "");
}

/* ---- making ---- */

/* The location of a placeholder, made or not. */
struct spot {
	int dir;	  /* on the host */
	const char *path; /* with its name, and without links */
	const char *name;
	char parent[ID];
	const char *upper; /* the directory in a branch; NULL: not staged */
};

#define SPOT_NONE         \
	{                 \
		.dir = -1 \
	}

static void close_spot(struct spot *spot)
{
	closep(&spot->dir);
}

static bool is_same(int fd, const struct stat *st)
{
	struct stat other;

	return fstat(fd, &other) == 0 && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

/* Open a directory of the container on the host, or return -1. */
static int open_on_host(const struct placeholders *p, const char *dir,
			const struct stat *st)
{
	for (size_t i = p->spec->nmounts + 1; i-- > 0;) {
		const struct oci_mount *m = i ? &p->spec->mounts[i - 1] : NULL;
		const char *source = m ? m->source : p->rootfs;
		const char *top = m ? m->destination : "/";
		const char *path;
		autoclose int fd = -1;

		if (!source || source[0] != '/' ||
		    (m && !oci_mount_is_bind(m)) ||
		    !files_is_at_or_below(dir, top))
			continue;
		path = arena_printf(p->arena, "%s%s", source,
				    dir + (streq(top, "/") ? 0 : strlen(top)));
		if (!path)
			return -ENOMEM;
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && is_same(fd, st))
			return take_fd(&fd);
	}
	return -ENOENT;
}

/* Get the path that the kernel reports, without links. */
static int find_path(const struct placeholders *p, struct spot *spot)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof link, "self/fd/%d", spot->dir);
	n = readlinkat(p->proc, link, path, sizeof path);
	if (n < 0 || n == sizeof path)
		return fail(n < 0 ? errno : ENAMETOOLONG,
			    "find the directory of the denied name %s",
			    spot->name);
	spot->path = arena_printf(p->arena, "%.*s/%s", n == 1 ? 0 : (int)n,
				  path, spot->name);
	return spot->path ? 0 : -ENOMEM;
}

static int find_spot(const struct placeholders *p, const char *path,
		     struct spot *spot)
{
	const char *slash = strrchr(path, '/');
	int len = slash == path ? 1 : (int)(slash - path);
	const char *dir = arena_printf(p->arena, "%.*s", len, path);
	autoclose int inside = -1;
	struct statx found;
	struct stat st;

	if (!dir)
		return -ENOMEM;
	spot->name = slash + 1;
	inside =
		root_open_plain(p->root, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (inside < 0 || fstat(inside, &st) < 0)
		return fail(errno, "open %s, the directory of a denied name",
			    dir);
	spot->upper = placeholder_upper(p->arena, p->spec, dir);
	if (spot->upper) {
		spot->dir = take_fd(&inside);
		spot->path = arena_printf(p->arena, "%s/%s", spot->upper,
					  spot->name);
		return spot->path ? 0 : -ENOMEM;
	}
	spot->dir = open_on_host(p, dir, &st);
	if (spot->dir == -ENOENT)
		return fail(ENOENT,
			    "%s does not exist and cannot be mapped to a "
			    "host path: create it first",
			    path);
	if (spot->dir < 0)
		return spot->dir;
	if (placeholder_look(spot->dir, &found) < 0)
		return fail(errno, "inspect %s, the directory of a denied name",
			    dir);
	placeholder_place(&found, spot->parent);
	return find_path(p, spot);
}

static int note_spot(const struct placeholders *p, struct list *list,
		     const struct spot *spot, const char *id)
{
	const char *line = arena_printf(p->arena, "%s %s %s", id, spot->parent,
					spot->path);

	return line ? note(p, list, line) : -ENOMEM;
}

/* Programs outside, such as git, must be able to read the text. */
static int make_with_text(const struct spot *spot, const char *text)
{
	autoclose int fd =
		openat(spot->dir, spot->name,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       0600);

	if (fd >= 0 && text &&
	    (io_write_all(fd, text, strlen(text)) < 0 ||
	     fchmod(fd, 0644) < 0)) {
		int error = errno;

		(void)unlinkat(spot->dir, spot->name, 0);
		errno = error;
		return -1;
	}
	return take_fd(&fd);
}

/* Return a descriptor of the new file; -EEXIST if the name is taken. */
static int make_file(const struct spot *spot, const struct files_carve *carve)
{
	const int flags = O_NOFOLLOW | O_CLOEXEC;
	int fd;

	/* Other programs ignore a socket; git would add an empty file. */
	if (carve->absent &&
	    mknodat(spot->dir, spot->name, S_IFSOCK | 0600, 0) == 0)
		fd = openat(spot->dir, spot->name, O_PATH | flags);
	else if (carve->leaf)
		fd = make_with_text(spot, carve->text);
	else if (mkdirat(spot->dir, spot->name, 0700) < 0)
		fd = -1;
	else
		fd = openat(spot->dir, spot->name,
			    O_PATH | O_DIRECTORY | flags);
	return fd < 0 ? -errno : fd;
}

/*
 * Whether the workload cannot write there either. It has no more rights than
 * we have, but it can change the mode of a directory that it owns.
 */
static bool is_closed(const struct spot *spot, int error)
{
	struct stat st;

	return error == EPERM || error == EROFS ||
	       (error == EACCES && fstat(spot->dir, &st) == 0 &&
		st.st_uid != geteuid());
}

/* Record the placeholder before making it, and its ID right after. */
static int make_one(const struct placeholders *p, int registry,
		    struct list *list, struct files_carve *carve)
{
	AUTO(close_spot) struct spot spot = SPOT_NONE;
	autoclose int fd = -1;
	struct statx st;
	char id[ID];
	int r = find_spot(p, carve->path, &spot);

	if (r == 0 && !spot.upper)
		r = note_spot(p, list, &spot, UNKNOWN);
	if (r < 0)
		return r;
	fd = make_file(&spot, carve);
	if (fd == -EEXIST) {
		r = spot.upper ? 0 : note_nothing(p, list);
		return r < 0 ? r : -EEXIST;
	}
	if (carve->denied->implied && is_closed(&spot, -fd)) {
		carve->unmade = true;
		return spot.upper ? 0 : note_nothing(p, list);
	}
	if (fd == -EACCES)
		return fail(
			EACCES,
			"create an empty file %s, because its name is denied "
			"(make its directory writable for the caller, or the "
			"workload could create the file)",
			carve->path);
	if (fd < 0)
		return fail(-fd,
			    "create an empty file %s, because its name is "
			    "denied",
			    carve->path);
	r = 0;
	if (spot.upper)
		r = placeholder_staged(spot.upper, spot.name, spot.parent, &st);
	else if (placeholder_look(fd, &st) < 0)
		r = fail(errno,
			 "inspect %s, the empty file made for a denied name",
			 carve->path);
	if (r < 0)
		return r;
	placeholder_id(&st, id);
	r = placeholder_registry_take(registry, id, p->state,
				      /* fresh= */ true);
	return r < 0 ? r : note_spot(p, list, &spot, id);
}

/* What another process made must be a directory, or a file with one link. */
static int check_found(const struct files_carve *carve, const struct statx *st)
{
	if (!carve->missing || S_ISDIR(st->stx_mode) ||
	    (S_ISREG(st->stx_mode) && st->stx_nlink == 1))
		return 0;
	return fail(EEXIST,
		    "create an empty file %s, because its name is denied: "
		    "another process created it first, try again",
		    carve->path);
}

/* Whether it has the owner and mode that make_file gives. */
static bool looks_made(const struct statx *st)
{
	return st->stx_uid == geteuid() &&
	       !(st->stx_mode & (S_IRWXG | S_IRWXO));
}

/* The sandboxes that needed this socket were killed, so we can adopt it. */
static bool is_left_over(const struct files_carve *carve,
			 const struct statx *st)
{
	return carve->absent && S_ISSOCK(st->stx_mode) && looks_made(st);
}

/* Another sandbox may have made it; record that we need it, too. */
static int join_one(const struct placeholders *p, int registry,
		    struct list *list, const struct files_carve *carve)
{
	AUTO(close_spot) struct spot spot = SPOT_NONE;
	autoclose int fd = root_open_plain(p->root, carve->path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statx st;
	char id[ID];
	bool known;
	int r;

	if (fd < 0 || placeholder_look(fd, &st) < 0)
		return fail(errno, "inspect the denied file %s", carve->path);
	placeholder_id(&st, id);
	known = placeholder_registry_has(registry, id);
	if (!known && !is_left_over(carve, &st))
		return check_found(carve, &st);
	r = find_spot(p, carve->path, &spot);
	/* The branch does not have it, so it stays when we end. */
	if (r == 0 && spot.upper)
		return 0;
	if (r == 0)
		r = note_spot(p, list, &spot, id);
	return r < 0 ? r :
		       placeholder_registry_take(registry, id, p->state,
						 /* fresh= */ !known);
}

/* Whether a directory above it could not be made. */
static bool is_in_unmade(const struct files_carves *carves, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (carves->items[k].unmade &&
		    files_is_at_or_below(carves->items[i].path,
					 carves->items[k].path))
			return true;
	return false;
}

int placeholders_make(const struct placeholders *p,
		      const struct files_carves *carves)
{
	autoclose int registry = -1;
	AUTO(close_list) struct list list = LIST_NONE;
	int r = 0;

	for (size_t i = 0; r == 0 && i < carves->n; i++) {
		struct files_carve *carve = &carves->items[i];

		if (!carve->above || carve->link)
			continue;
		carve->unmade = is_in_unmade(carves, i);
		if (carve->unmade)
			continue;
		if (registry < 0 &&
		    (registry = placeholder_registry_open()) < 0)
			return registry;
		r = carve->missing ? make_one(p, registry, &list, carve) :
				     -EEXIST;
		if (r == -EEXIST)
			r = join_one(p, registry, &list, carve);
		if (r < 0)
			r = fail_in(r, "%s '%s'", carve->denied->key,
				    carve->denied->item);
	}
	return r;
}

/* ---- removing ---- */

struct line {
	char *id, *parent, *path; /* of its directory */
	char *name;
};

static bool is_id(const char *text)
{
	return *text && *text != '.' &&
	       !text[strspn(text, "0123456789abcdef:-.")];
}

/* Split a line into its words; false if we cannot have written it. */
static bool split(char *text, struct line *ret)
{
	char *save = NULL, *slash;

	ret->id = strtok_r(text, " ", &save);
	ret->parent = strtok_r(NULL, " ", &save);
	ret->path = strtok_r(NULL, "", &save);
	slash = ret->path ? strrchr(ret->path, '/') : NULL;
	if (!slash || ret->path[0] != '/' || !is_id(ret->id) ||
	    !is_id(ret->parent))
		return false;
	*slash = '\0';
	ret->name = slash + 1;
	return *ret->name && !streq(ret->name, ".") && !streq(ret->name, "..");
}

/* Open the directory only if it is still the recorded one; -1 if not. */
static int open_parent(const struct line *line)
{
	autoclose int fd = sys_openat2(AT_FDCWD, *line->path ? line->path : "/",
				       O_PATH | O_DIRECTORY, 0,
				       KERNEL_RESOLVE_NO_SYMLINKS |
					       KERNEL_RESOLVE_NO_MAGICLINKS);
	char found[ID];
	struct statx st;

	if (fd < 0 || placeholder_look(fd, &st) < 0)
		return -1;
	placeholder_place(&st, found);
	return streq(found, line->parent) ? take_fd(&fd) : -1;
}

/*
 * The kernel removes names, not descriptors. A process that wins this race can
 * make us remove another file, but only in a directory where it may write.
 */
static void remove_file(int dir, const char *name, const struct statx *st)
{
	size_t text = streq(name, "commondir") ? strlen(FILES_COMMONDIR) : 0;

	if (S_ISDIR(st->stx_mode))
		(void)unlinkat(dir, name, AT_REMOVEDIR);
	else if ((S_ISREG(st->stx_mode) || S_ISSOCK(st->stx_mode)) &&
		 (st->stx_size == 0 || st->stx_size == text) &&
		 st->stx_nlink == 1)
		(void)unlinkat(dir, name, 0);
}

/* Remove the file before its record, so that a second try finds the record. */
static void release_id(int registry, int state, const char *id,
		       const struct line *line)
{
	autoclose int dir = -1, fd = -1;
	char found[ID];
	struct statx st;

	/* After a reboot the registry may be gone, but not a list on disk. */
	if (placeholder_registry_has(registry, id) &&
	    !placeholder_registry_drop(registry, id, state))
		return;
	dir = open_parent(line);
	if (dir >= 0)
		fd = openat(dir, line->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && placeholder_look(fd, &st) == 0) {
		placeholder_id(&st, found);
		if (streq(found, id))
			remove_file(dir, line->name, &st);
	}
	placeholder_registry_forget(registry, id);
}

/* We were killed while making it, so file and record may or may not exist. */
static void release_unknown(int registry, int state, const struct line *line)
{
	autoclose int dir = open_parent(line), fd = -1;
	char found[ID];
	struct statx st;

	if (dir >= 0)
		fd = openat(dir, line->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || placeholder_look(fd, &st) < 0)
		return;
	placeholder_id(&st, found);
	if (placeholder_registry_has(registry, found))
		release_id(registry, state, found, line);
	else if (looks_made(&st))
		remove_file(dir, line->name, &st);
}

/*
 * Start at the last line: its placeholder may be in a directory that an
 * earlier line made. A line without its NUL was cut off while it was written:
 * the line before it is the last one.
 */
static void release_all(int registry, int state, char *text, size_t len)
{
	bool is_last = true;
	struct line line;

	while (len && text[len - 1])
		text[--len] = '\0';
	for (char *p = text + len; p > text; is_last = false) {
		for (p--; p > text && p[-1]; p--)
			;
		if (!split(p, &line))
			continue;
		if (!streq(line.id, UNKNOWN))
			release_id(registry, state, line.id, &line);
		else if (is_last)
			release_unknown(registry, state, &line);
	}
}

/* A file that another user may write must not choose what we remove. */
static bool is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

int placeholders_release(int state)
{
	autoclose int fd =
		openat(state, LIST,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	autofree char *text = NULL;
	autoclose int registry = -1;
	struct stat st;
	ssize_t len;

	if (fd < 0)
		return errno == ENOENT ?
			       0 :
			       fail(errno,
				    "open the file " LIST
				    " in the state directory (it lists the "
				    "empty files made for denied names)");
	if (!is_ours(state) || !is_ours(fd))
		return 0;
	registry = placeholder_registry_open();
	if (registry < 0)
		return registry;
	if (fstat(fd, &st) < 0 || st.st_size > (off_t)MAX_LIST)
		return fail(EFBIG,
			    "read the file " LIST
			    " in the state directory (it lists the empty "
			    "files made for denied names)");
	text = malloc((size_t)st.st_size + 1);
	len = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (len != st.st_size)
		return fail(EIO, "read the file " LIST
				 " in the state directory (it lists the empty "
				 "files made for denied names)");
	text[len] = '\0';
	release_all(registry, state, text, (size_t)len);
	return 0;
}
