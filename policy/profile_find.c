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
#include "base/nearest.h"
#include "base/util.h"
#include "policy/profile_builtin.h"

#define MAX_PROFILE (1UL << 20)

const char *const profile_system_folders[] = {
	"/etc/sandlock/profiles",
	"/usr/share/sandlock/profiles",
	NULL,
};

const struct profile_builtin *profile_builtin_find(const char *name)
{
	for (size_t i = 0; profile_builtins[i].name; i++)
		if (streq(profile_builtins[i].name, name))
			return &profile_builtins[i];
	return NULL;
}

static int open_path(const char *path)
{
	return open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

static int not_found(const char *name, const char *looked)
{
	struct nearest near = nearest_to(name, strlen(name));
	const char *meant;

	for (size_t i = 0; profile_builtins[i].name; i++)
		nearest_try(&near, profile_builtins[i].name,
			    profile_builtins[i].name);
	meant = nearest_found(&near);
	return fail(ENOENT,
		    "profile '%s': there is no %s.toml in %s, and no such "
		    "built-in profile%s%s%s",
		    name, name, looked, meant ? " (did you mean " : "",
		    meant ? meant : "", meant ? "?)" : "");
}

/* Without a file of a built-in profile, ret_path stays as it is. */
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
	if (profile_builtin_find(name))
		return -ENOENT;
	return not_found(name, looked);
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

static int load_builtin(struct arena *arena,
			const struct profile_builtin *builtin,
			const struct policy_place *place, struct policy *ret)
{
	const char *name =
		arena_printf(arena, "built-in profile %s", builtin->name);

	return name ? policy_from_toml(arena, builtin->text,
				       strlen(builtin->text), name, place,
				       ret) :
		      -ENOMEM;
}

int profile_load(struct arena *arena, const char *name,
		 const char *const *folders, const struct policy_place *place,
		 struct policy *ret, const char **ret_path)
{
	struct policy_place where = *place;
	const char *path = NULL;
	autoclose int fd = find(arena, name, folders, &path);
	char *text;
	size_t len;
	int r;

	if (fd < 0 && (path || !profile_builtin_find(name)))
		return fd;
	if (ret_path)
		*ret_path = path;
	/* A profile of the system must not depend on the current directory. */
	if (!path || is_of_the_system(path))
		where.cwd = NULL;
	if (!path)
		return load_builtin(arena, profile_builtin_find(name), &where,
				    ret);
	r = check(fd, path);
	if (r < 0)
		return r;
	r = io_read_all(arena, fd, MAX_PROFILE, &text, &len);
	if (r < 0)
		return fail_in(r, "profile %s", path);
	return policy_from_toml(arena, text, len, path, &where, ret);
}
