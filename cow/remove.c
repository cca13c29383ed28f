/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/remove.c - remove trees that a sandbox has filled.
 *
 * The kernel makes the overlay's own work directory with mode 000, and programs
 * make directories that their owner cannot read: root does not notice, a user
 * must change the mode first.
 */
#include "cow/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int open_forced(int dir, const char *name)
{
	int fd = openat(dir, name, OPEN_DIR);
	struct stat st;

	if (fd >= 0 || errno != EACCES)
		return fd;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISDIR(st.st_mode) || fchmodat(dir, name, 0700, 0) < 0)
		return -1;
	return openat(dir, name, OPEN_DIR);
}

/* Let the owner use all directories of a tree; errors show when it is removed. */
static void unlock_tree(int dir, const char *name)
{
	int fd = open_forced(dir, name);
	autoclosedir DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		closep(&fd);
		return;
	}
	(void)fchmod(fd, 0700);
	for (struct dirent *e; (e = readdir(d));)
		if ((e->d_type == DT_DIR || e->d_type == DT_UNKNOWN) &&
		    !streq(e->d_name, ".") && !streq(e->d_name, ".."))
			unlock_tree(fd, e->d_name);
}

int remove_tree(int dir, const char *name)
{
	int r = io_remove_tree_at(dir, name);

	if (r != -EACCES)
		return r;
	err_clear();
	unlock_tree(dir, name);
	return io_remove_tree_at(dir, name);
}

int remove_tree_below(int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	char part[256];
	autoclose int fd = -1;

	/* Each directory on the way may be locked, too. */
	for (const char *from = path; slash && from < slash;) {
		const char *end = strchr(from, '/');
		int next;

		(void)snprintf(part, sizeof part, "%.*s", (int)(end - from),
			       from);
		next = open_forced(fd < 0 ? dir : fd, part);
		if (next < 0)
			return errno == ENOENT ? 0 :
						 fail(errno, "open %s", path);
		closep(&fd);
		fd = next;
		from = end + 1;
	}
	return remove_tree(fd < 0 ? dir : fd, slash ? slash + 1 : path);
}
