/* SPDX-License-Identifier: Apache-2.0 */
/* cow/tree.c - name files of a tree while other processes may change it. */
#include "cow/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"

#define NS_PER_SECOND 1000000000LL
/* The kernel returns EAGAIN when something is renamed meanwhile. */
#define PATIENCE 1000

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000
#endif

int tree_open(int root, const char *path, int flags)
{
	int fd = -1;

	for (int i = 0; i < PATIENCE; i++) {
		fd = sys_openat2(root, *path ? path : ".",
				 (uint64_t)(unsigned int)flags | O_NOFOLLOW, 0,
				 KERNEL_RESOLVE_BENEATH |
					 KERNEL_RESOLVE_NO_SYMLINKS |
					 KERNEL_RESOLVE_NO_XDEV);
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

int tree_open_parent(int root, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (len >= sizeof parent) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(parent, path, len);
	parent[len] = '\0';
	*ret_name = slash ? slash + 1 : path;
	if (!**ret_name)
		*ret_name = ".";
	return tree_open(root, parent, O_PATH | O_DIRECTORY);
}

static int64_t nanoseconds(const struct statx_timestamp *t)
{
	return t->tv_sec * NS_PER_SECOND + t->tv_nsec;
}

int tree_stat(int dir, const char *name, struct tree_entry *ret)
{
	struct statx st;

	if (statx(dir, name,
		  AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT,
		  STATX_BASIC_STATS, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -errno;
		*ret = (struct tree_entry){ 0 };
		return 0;
	}
	*ret = (struct tree_entry){
		.mode = st.stx_mode,
		.uid = st.stx_uid,
		.gid = st.stx_gid,
		.nlink = st.stx_nlink,
		.ino = st.stx_ino,
		.size = st.stx_size,
		.device = makedev(st.stx_rdev_major, st.stx_rdev_minor),
		.mtime = { .tv_sec = st.stx_mtime.tv_sec,
			   .tv_nsec = st.stx_mtime.tv_nsec },
		.ctime = nanoseconds(&st.stx_ctime),
		.fixed = st.stx_attributes &
			 (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND),
	};
	return 0;
}

int tree_stat_path(int root, const char *path, struct tree_entry *ret)
{
	const char *name;
	autoclose int dir = tree_open_parent(root, path, &name);

	if (dir < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
		return -errno;
	if (dir < 0) {
		*ret = (struct tree_entry){ 0 };
		return 0;
	}
	return tree_stat(dir, name, ret);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int tree_names(struct arena *arena, int dir, struct tree_names *ret)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclosedir DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	const char **items = NULL;
	size_t n = 0, room = 0;
	struct dirent *e;

	if (!stream) {
		int err = errno;

		closep(&fd);
		return fail(err, "read a directory");
	}
	for (errno = 0; (e = readdir(stream)); errno = 0) {
		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		items = arena_room(arena, items, n, &room, sizeof *items);
		if (!items)
			return -ENOMEM;
		items[n] = arena_strdup(arena, e->d_name);
		if (!items[n++])
			return -ENOMEM;
	}
	if (errno)
		return fail(errno, "read a directory");
	if (n > 0)
		qsort(items, n, sizeof *items, by_bytes);
	*ret = (struct tree_names){ items, n };
	return 0;
}

const char *tree_join(struct arena *arena, const char *dir, const char *name)
{
	return *dir ? arena_printf(arena, "%s/%s", dir, name) :
		      arena_strdup(arena, name);
}

bool tree_is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return len == 0 || (strncmp(path, dir, len) == 0 &&
			    (path[len] == '/' || path[len] == '\0'));
}

bool tree_same_mount(int a, int b)
{
	struct statx of_a, of_b;

	return statx(a, "", AT_EMPTY_PATH, STATX_MNT_ID, &of_a) == 0 &&
	       statx(b, "", AT_EMPTY_PATH, STATX_MNT_ID, &of_b) == 0 &&
	       of_a.stx_dev_major == of_b.stx_dev_major &&
	       of_a.stx_dev_minor == of_b.stx_dev_minor &&
	       of_a.stx_mnt_id == of_b.stx_mnt_id;
}
