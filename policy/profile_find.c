/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/profile_find.c - find a profile, check who may write it, and read it.
 */
#include "policy/profile_find.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"

#define MAX_PROFILE (1UL << 20)

const char *const profile_system_folders[] = {
	"/etc/sandlock/profiles",
	"/usr/share/sandlock/profiles",
	NULL,
};

static int open_path(const char *path)
{
	return open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

static int find(struct arena *arena, const char *name,
		const char *const *folders, const char **ret_path)
{
	const char *looked = "";

	if (strchr(name, '/')) {
		int fd = open_path(name);

		*ret_path = name;
		return fd < 0 ? fail(errno, "open profile %s", name) : fd;
	}
	for (; *folders; folders++) {
		const char *path =
			arena_printf(arena, "%s/%s.toml", *folders, name);
		int fd;

		looked = arena_printf(arena, "%s%s%s", looked,
				      *looked ? ", " : "", *folders);
		if (!path || !looked)
			return -ENOMEM;
		fd = open_path(path);
		if (fd < 0 && errno == ENOENT)
			continue;
		*ret_path = path;
		return fd < 0 ? fail(errno, "open profile %s", path) : fd;
	}
	return fail(ENOENT, "profile '%s': there is no %s.toml in %s", name,
		    name, looked);
}

/* A user who may write the file decides what the workload may do. */
static int check(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail(errno, "examine profile %s", path);
	if (!S_ISREG(st.st_mode))
		return fail(0, "profile %s: must be a regular file", path);
	if (st.st_mode & S_IWOTH)
		return fail(0,
			    "profile %s: must not be writable by everybody "
			    "(chmod o-w)",
			    path);
	return 0;
}

static bool is_of_the_system(const char *path)
{
	for (size_t i = 0; profile_system_folders[i]; i++) {
		const char *folder = profile_system_folders[i];

		if (starts_with(path, folder) && path[strlen(folder)] == '/')
			return true;
	}
	return false;
}

int profile_load(struct arena *arena, const char *name,
		 const char *const *folders, const struct policy_place *place,
		 struct policy *ret, const char **ret_path)
{
	struct policy_place where = *place;
	const char *path = name;
	autoclose int fd = find(arena, name, folders, &path);
	char *text;
	size_t len;
	int r;

	if (fd < 0)
		return fd;
	r = check(fd, path);
	if (r < 0)
		return r;
	r = io_read_all(arena, fd, MAX_PROFILE, &text, &len);
	if (r < 0)
		return fail_in(r, "profile %s", path);
	if (ret_path)
		*ret_path = path;
	/* A profile of the system must not depend on the current directory. */
	if (is_of_the_system(path))
		where.cwd = NULL;
	return policy_from_toml(arena, text, len, path, &where, ret);
}
