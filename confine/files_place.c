/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_place.c - the files of a root: the paths that the kernel shows,
 * and what presets read there.
 */
#include "confine/files_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/elf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/files.h"
#include "policy/glob.h"

#define MAX_SMALL 65536

int files_kernel_path(struct arena *arena, const struct files_place *place,
		      int fd, const char *file, char **ret)
{
	char text[PATH_MAX], name[64];
	ssize_t n;

	snprintf(name, sizeof name, "self/fd/%d", fd);
	n = readlinkat(place->proc, name, text, sizeof text);
	if (n < 0)
		return fail(errno,
			    "find the real path of %s (by readlink of /proc/%s)",
			    file, name);
	if (n == sizeof text)
		return fail(ENAMETOOLONG, "find the real path of %s", file);
	*ret = arena_strndup(arena, text, (size_t)n);
	return *ret ? 0 : -ENOMEM;
}

int files_path_below(struct arena *arena, const struct files_place *place,
		     const char *top, int fd, const char *file,
		     const char **ret)
{
	size_t n = streq(top, "/") ? 0 : strlen(top);
	char *path;
	int r = files_kernel_path(arena, place, fd, file, &path);

	if (r < 0)
		return r;
	if (!files_is_at_or_below(path, top))
		return fail(0, "%s is outside the container's root file system",
			    path);
	*ret = path[n] ? path + n : "/";
	return 0;
}

int files_real_path(struct arena *arena, const struct files_place *place,
		    const char *path, const char **ret)
{
	autoclose int fd = root_open(place->root, path, O_PATH | O_CLOEXEC);
	char *top;
	int r;

	*ret = NULL;
	if (fd < 0)
		return 0;
	r = files_kernel_path(arena, place, place->root,
			      "the container's root file system", &top);
	return r < 0 ? r : files_path_below(arena, place, top, fd, path, ret);
}

/* ---- callbacks of presets ---- */

static int get_file(void *user, struct arena *arena, const char *path,
		    const char **ret)
{
	const struct files_place *place = user;
	autoclose int fd =
		root_open(place->root, path,
			  O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	char *text;
	int r;

	*ret = NULL;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	r = io_read_all(arena, fd, MAX_SMALL, &text, NULL);
	if (r < 0)
		return fail_in(r, "%s", path);
	*ret = text;
	return 0;
}

static int get_real_path(void *user, struct arena *arena, const char *path,
			 const char **ret)
{
	return files_real_path(arena, user, path, ret);
}

static int find(void *user, struct arena *arena, const char *pattern,
		struct strings *ret)
{
	const struct files_place *place = user;

	return policy_glob_find_all(arena, place->root, pattern, ret);
}

struct policy_context files_context(const struct files_place *place)
{
	return (struct policy_context){
		.os = POLICY_LINUX,
		.home = place->home,
		.project = place->project,
		.env = place->env,
		.user = (void *)place,
		.read_file = get_file,
		.real_path = get_real_path,
		.find = find,
	};
}

/* The author of the image may not be trusted, so accept only real loaders. */
bool files_is_loader(int root, const char *path)
{
	autoclose int fd =
		root_open(root, path,
			  O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char header[ELF_INTERPRETER];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	n = pread(fd, header, sizeof header, 0);
	return n > 0 && elf_is(header, (size_t)n);
}

bool files_is_tidy(const char *path)
{
	for (const char *p = path; *p; p++)
		if (p[0] == '/' && (!p[1] || p[1] == '/' || p[1] == '.'))
			return false;
	return path[0] == '/';
}

bool files_is_device(int fd, dev_t device)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	       (!device || st.st_rdev == device);
}

bool files_is_on(int fd, long type)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (long)fs.f_type == type;
}
