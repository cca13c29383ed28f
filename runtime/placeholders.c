/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/placeholders.c - make them, share them, take them away.
 *
 * On record: REGISTRY/DEVICE-INODE/ has a file for each container that needs
 * it, named after that one's state directory in the same way. A lock on the
 * registry is held meanwhile.
 */
#include "runtime/placeholders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/files.h"
#include "oci/oci.h"
#include "runtime/mounts.h"

#define REGISTRY "sandlock-placeholders"
#define LIST "placeholders"
#define UNKNOWN "-" /* about to be made: it has no number yet */
#define MAX_LIST (8UL << 20)
#define NAME 64

static void name_of(const struct stat *st, char *ret)
{
	snprintf(ret, NAME, "%jx-%jx", (uintmax_t)st->st_dev,
		 (uintmax_t)st->st_ino);
}

int placeholders_registry(char path[static PATH_MAX])
{
	const char *home = getenv("XDG_RUNTIME_DIR");
	int n;

	if (geteuid() == 0)
		n = snprintf(path, PATH_MAX, "/run/" REGISTRY);
	else if (is_set(home))
		n = snprintf(path, PATH_MAX, "%s/" REGISTRY, home);
	else
		n = snprintf(path, PATH_MAX, "/run/user/%u/" REGISTRY,
			     geteuid());
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int open_registry(void)
{
	char path[PATH_MAX];
	autoclose int fd = -1;

	if (placeholders_registry(path) < 0)
		return fail(ENAMETOOLONG, "XDG_RUNTIME_DIR");
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return fail(errno, "make %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "open %s", path);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return fail(errno, "lock %s", path);
	return take_fd(&fd);
}

static bool is_same(int fd, const struct stat *st)
{
	struct stat other;

	return fstat(fd, &other) == 0 && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

/* Where a directory of the container is on the host, or -1. */
static int open_on_host(const struct placeholders *p, const char *dir,
			const struct stat *st, const char **ret)
{
	for (size_t i = p->spec->nmounts + 1; i-- > 0;) {
		const struct oci_mount *m = i ? &p->spec->mounts[i - 1] : NULL;
		const char *source = m ? m->source : p->rootfs;
		const char *top = m ? m->destination : "/";
		autoclose int fd = -1;

		if (!source || source[0] != '/' || (m && !mounts_is_bind(m)) ||
		    !files_is_at_or_below(dir, top))
			continue;
		*ret = arena_printf(p->arena, "%s%s", source,
				    dir + (streq(top, "/") ? 0 : strlen(top)));
		if (!*ret)
			return -ENOMEM;
		fd = open(*ret, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && is_same(fd, st))
			return take_fd(&fd);
	}
	return -ENOENT;
}

struct list {
	const char *text; /* "NAME PATH" with a NUL at the end, each */
	size_t len;
};

static int note(const struct placeholders *p, struct list *list,
		const char *name, const char *path)
{
	size_t more = strlen(name) + 1 + strlen(path) + 1;
	char *text = arena_grow(p->arena, list->text, list->len,
				list->len + more, 1);

	if (!text)
		return -ENOMEM;
	snprintf(text + list->len, more, "%s %s", name, path);
	list->text = text;
	list->len += more;
	return io_replace_at(p->state, LIST, list->text, list->len, 0600);
}

/* The record of it, with our name in it. */
static int take(const struct placeholders *p, int registry, const char *name)
{
	char ours[NAME];
	autoclose int dir = -1, fd = -1;
	struct stat st;

	if (fstat(p->state, &st) < 0)
		return fail(errno, "stat the state directory");
	name_of(&st, ours);
	if (mkdirat(registry, name, 0700) < 0 && errno != EEXIST)
		return fail(errno, "record a placeholder");
	dir = openat(registry, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return fail(errno, "record a placeholder");
	fd = openat(dir, ours, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 ? fail(errno, "record a placeholder") : 0;
}

static int make_file(int dir, const char *name, bool leaf)
{
	autoclose int fd = -1;

	if (!leaf)
		return mkdirat(dir, name, 0700);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -1 : 0;
}

static int make_one(const struct placeholders *p, int registry,
		    struct list *list, const struct files_carve *carve)
{
	const char *slash = strrchr(carve->path, '/'), *host, *path;
	const char *dir = slash == carve->path ?
				  "/" :
				  arena_printf(p->arena, "%.*s",
					       (int)(slash - carve->path),
					       carve->path);
	autoclose int inside = -1, fd = -1;
	char name[NAME];
	struct stat st;
	int r;

	if (!dir)
		return -ENOMEM;
	inside =
		root_open_plain(p->root, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (inside < 0 || fstat(inside, &st) < 0)
		return fail(errno, "open %s", dir);
	fd = open_on_host(p, dir, &st, &host);
	if (fd == -ENOENT)
		return fail(ENOENT,
			    "%s does not exist, and where it would be "
			    "on the host is not known: make it",
			    carve->path);
	if (fd < 0)
		return fd;
	path = arena_printf(p->arena, "%s/%s", host, slash + 1);
	if (!path)
		return -ENOMEM;
	if (carve->missing && (r = note(p, list, UNKNOWN, path)) < 0)
		return r;
	if (make_file(fd, slash + 1, carve->leaf) < 0 && errno != EEXIST)
		return fail(errno, "make an empty %s", carve->path);
	if (fstatat(fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(errno, "stat %s", carve->path);
	name_of(&st, name);
	r = take(p, registry, name);
	return r < 0 ? r : note(p, list, name, path);
}

/* Others may have made it: then it must stay for us, too. */
static int join_one(const struct placeholders *p, int registry,
		    struct list *list, const struct files_carve *carve)
{
	autoclose int fd = root_open_plain(p->root, carve->path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char name[NAME];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "open %s", carve->path);
	name_of(&st, name);
	if (faccessat(registry, name, F_OK, 0) < 0)
		return 0;
	return make_one(p, registry, list, carve);
}

int placeholders_make(const struct placeholders *p,
		      const struct files_carves *carves)
{
	autoclose int registry = -1;
	struct list list = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < carves->n; i++) {
		const struct files_carve *carve = &carves->items[i];

		if (!carve->above || !carve->rights)
			continue;
		if (registry < 0 && (registry = open_registry()) < 0)
			return registry;
		r = carve->missing ? make_one(p, registry, &list, carve) :
				     join_one(p, registry, &list, carve);
		if (r < 0)
			r = fail_in(r, "%s '%s'", carve->denied->key,
				    carve->denied->item);
	}
	return r;
}

/* ---- the end ---- */

/* The last of them, and nobody has put anything into it. */
static void remove_file(int registry, const char *name, const char *path)
{
	char dir[PATH_MAX], found[NAME];
	const char *slash = strrchr(path, '/');
	autoclose int fd = -1;
	struct stat st;

	if (!slash || (size_t)(slash - path) >= sizeof dir)
		return;
	memcpy(dir, path, (size_t)(slash - path));
	dir[slash - path] = '\0';
	fd = open(*dir ? dir : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstatat(fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	name_of(&st, found);
	if (streq(name, UNKNOWN) ? faccessat(registry, found, F_OK, 0) == 0 :
				   !streq(found, name))
		return;
	if (S_ISDIR(st.st_mode))
		(void)unlinkat(fd, slash + 1, AT_REMOVEDIR);
	else if (S_ISREG(st.st_mode) && st.st_size == 0)
		(void)unlinkat(fd, slash + 1, 0);
}

static void release_one(int registry, const char *ours, char *line)
{
	char *path = strchr(line, ' ');
	autoclose int dir = -1;

	if (!path)
		return;
	*path++ = '\0';
	if (streq(line, UNKNOWN)) {
		remove_file(registry, line, path);
		return;
	}
	dir = openat(registry, line, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		(void)unlinkat(dir, ours, 0);
	if (dir < 0 || unlinkat(registry, line, AT_REMOVEDIR) == 0)
		remove_file(registry, line, path);
}

int placeholders_release(int state)
{
	autoclose int fd =
		openat(state, LIST, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	autofree char *text = NULL;
	autoclose int registry = -1;
	char ours[NAME];
	struct stat st;
	ssize_t len;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail(errno, "open " LIST);
	registry = open_registry();
	if (registry < 0)
		return registry;
	if (fstat(fd, &st) < 0 || st.st_size > (off_t)MAX_LIST)
		return fail(EFBIG, "read " LIST);
	text = malloc((size_t)st.st_size + 1);
	len = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (len != st.st_size || fstat(state, &st) < 0)
		return fail(EIO, "read " LIST);
	text[len] = '\0';
	name_of(&st, ours);
	for (char *p = text, *next; p < text + len; p = next) {
		next = p + strlen(p) + 1;
		release_one(registry, ours, p);
	}
	return 0;
}
