/* SPDX-License-Identifier: Apache-2.0 */
/* cow/storage.c - find and make the directories in which branches are stored. */
#include "cow/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"
#include "cow/branch.h"
#include "cow/overlay.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int branch_home(struct arena *arena, const char **ret)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && state[0] == '/')
		*ret = arena_printf(arena, "%s/sandlock/branches", state);
	else if (geteuid() == 0)
		*ret = arena_strdup(arena, "/var/lib/sandlock/branches");
	else if (home && home[0] == '/')
		*ret = arena_printf(arena, "%s/.local/state/sandlock/branches",
				    home);
	else
		return fail(0, "find the directory of branches: set HOME or "
			       "XDG_STATE_HOME to an absolute path");
	return *ret ? 0 : -ENOMEM;
}

int storage_check_own(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail(errno, "read the owner of %s", path);
	/* Its owner could replace our branch by another one. */
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return fail(EPERM,
			    "%s: cannot store branches because it is owned by "
			    "user %u, not by root or the caller",
			    path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
		return fail(EPERM,
			    "%s: cannot store branches because others can "
			    "write to it (chmod go-w)",
			    path);
	return 0;
}

/* Make the last directory of a path private, and its parents if `parents`. */
static int make_dirs(const char *path, bool parents)
{
	char prefix[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof prefix)
		return fail(ENAMETOOLONG, "make the storage %s", path);
	for (size_t i = 1; i <= len; i++) {
		if (path[i] && (path[i] != '/' || !parents))
			continue;
		memcpy(prefix, path, i);
		prefix[i] = '\0';
		if (mkdir(prefix, 0700) < 0 && errno != EEXIST)
			return fail(errno, "make the storage %s", prefix);
	}
	return 0;
}

static int open_own(const char *path)
{
	autoclose int fd = open(path, OPEN_DIR);
	int r;

	if (fd < 0)
		return fail(errno, "open the storage %s", path);
	r = storage_check_own(fd, path);
	return r < 0 ? r : take_fd(&fd);
}

int storage_open_home(const char *home, int make)
{
	int r = make ? make_dirs(home, /* parents= */ true) : 0;

	return r < 0 ? r : open_own(home);
}

static int open_asked(const char *path)
{
	int r = make_dirs(path, /* parents= */ false);

	if (r >= 0)
		r = open_own(path);
	return r < 0 ? fail_in(r, "config.fs_storage") : r;
}

static bool mount_of(int dir, const char *path, struct statx *ret)
{
	return statx(dir, path, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW,
		     STATX_INO | STATX_MNT_ID, ret) == 0;
}

/*
 * Two mounts of one file system have the same device, but rename() between
 * them fails. Before Linux 5.8 mounts have no numbers; the commit copies then.
 */
static bool is_one_mount(const char *a, int b)
{
	struct statx x, y;

	return mount_of(AT_FDCWD, a, &x) && mount_of(b, "", &y) &&
	       x.stx_dev_major == y.stx_dev_major &&
	       x.stx_dev_minor == y.stx_dev_minor &&
	       x.stx_mnt_id == y.stx_mnt_id;
}

/* A directory beside the workdir; -ENOENT if that is of no use. */
static int open_beside(struct arena *arena, const struct branch_wishes *wishes,
		       const char **ret_path)
{
	const char *workdir = wishes->workdir;
	const char *slash = strrchr(workdir, '/');
	autoclose int fd = -1;
	const char *path;
	struct stat st;

	if (!slash || !slash[1])
		return -ENOENT;
	path = arena_printf(arena, "%.*s/" STORAGE_NAME, (int)(slash - workdir),
			    workdir);
	if (!path)
		return -ENOMEM;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -ENOENT;
	fd = open(path, OPEN_DIR);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    !(st.st_mode & 077) && is_one_mount(workdir, fd) &&
	    overlay_check_storage(fd, path, wishes->privileged) >= 0) {
		*ret_path = path;
		return take_fd(&fd);
	}
	err_clear();
	/* It stays if there are branches in it, or if it is not ours. */
	(void)rmdir(path);
	return -ENOENT;
}

int storage_open(struct arena *arena, const struct branch_wishes *wishes,
		 const char *home, unsigned int i, const char **ret_path)
{
	const char *asked = wishes->storage;
	autoclose int fd = -1;
	int r;

	if (!asked && i == 0)
		return open_beside(arena, wishes, ret_path);
	fd = asked ? open_asked(asked) : storage_open_home(home, true);
	if (fd < 0)
		return fd;
	*ret_path = asked ? asked : home;
	r = overlay_check_storage(fd, *ret_path, wishes->privileged);
	return r < 0 ? fail_in(r, "config.workdir '%s'", wishes->workdir) :
		       take_fd(&fd);
}
