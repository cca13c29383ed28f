/* SPDX-License-Identifier: Apache-2.0 */
/* policy/writers.c - tell which users can change a file of the operator. */
#include "policy/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/num.h"
#include "base/open.h"

/*
 * In a user namespace the files of the host's root belong to nobody. Nobody
 * inside can make such a file.
 */
static bool is_unmapped(uid_t uid)
{
	autoclose int fd =
		open("/proc/sys/kernel/overflowuid", O_RDONLY | O_CLOEXEC);
	struct stat root;
	char text[16] = "";
	uint32_t nobody;

	if (fd < 0 || stat("/", &root) < 0 || root.st_uid == 0 ||
	    read(fd, text, sizeof text - 1) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	if (num_u32(text, &nobody) < 0) {
		err_clear();
		return false;
	}
	return uid == nobody && root.st_uid == nobody;
}

int writers_check(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail(errno, "examine %s", path);
	if (st.st_uid != 0 && st.st_uid != geteuid() && !is_unmapped(st.st_uid))
		return fail(0,
			    "%s: must belong to root, not to user %u (chown "
			    "root)",
			    path, st.st_uid);
	if (st.st_mode & (S_IWOTH | S_IWGRP))
		return fail(0,
			    "%s: must not be writable by its group or by "
			    "everybody (chmod go-w)",
			    path);
	return 0;
}

int writers_open_folder(struct arena *arena, const char *path,
			const char **ret_folder)
{
	const char *slash = strrchr(path, '/');

	*ret_folder = !slash	    ? "." :
		      slash == path ? "/" :
				      arena_strndup(arena, path,
						    (size_t)(slash - path));
	return *ret_folder ?
		       open(*ret_folder, O_PATH | O_DIRECTORY | O_CLOEXEC) :
		       -1;
}

int writers_check_file(struct arena *arena, const char *path)
{
	const char *folder, *slash = strrchr(path, '/');
	autoclose int dir = writers_open_folder(arena, path, &folder);
	autoclose int fd = dir < 0 ? -1 :
				     openat(dir, slash ? slash + 1 : path,
					    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "open %s", path);
	if (S_ISLNK(st.st_mode))
		return fail(0, "%s: must not be a symbolic link", path);
	r = writers_check(dir, folder);
	return r < 0 ? r : writers_check(fd, path);
}

/* A user is root in a user namespace of that user, where "/" is nobody's. */
bool writers_is_root(void)
{
	struct stat st;

	return geteuid() == 0 && stat("/", &st) == 0 && !is_unmapped(st.st_uid);
}
