/* SPDX-License-Identifier: Apache-2.0 */
/* base/root.c - every path in a rootfs goes through here. */
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/sys.h"

/* A racing rename makes openat2 give up with EAGAIN; so many tries are fair. */
#define TRIES 128
#define MAX_LINKS 40

static int open_in(int root, const char *path, int flags, uint64_t resolve)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = sys_openat2(root, *path ? path : ".",
				     (uint64_t)flags, 0,
				     resolve | KERNEL_RESOLVE_NO_MAGICLINKS);

		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			return fd;
	}
	return -1;
}

int root_open(int root, const char *path, int flags)
{
	return open_in(root, path, flags, KERNEL_RESOLVE_IN_ROOT);
}

int root_open_plain(int root, const char *path, int flags)
{
	return open_in(root, path, flags,
		       KERNEL_RESOLVE_IN_ROOT | KERNEL_RESOLVE_NO_SYMLINKS);
}

/* Cut "a/b/c" into the text before the last component and the component. */
static int split(const char *path, char *ret_parent, char *ret_name)
{
	size_t end = strlen(path), start;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		;
	if (end - start > NAME_MAX || start >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(ret_name, path + start, end - start);
	ret_name[end - start] = '\0';
	memcpy(ret_parent, path, start);
	ret_parent[start] = '\0';
	return 0;
}

static bool is_dot(const char *name)
{
	return strcmp(name, "") == 0 || strcmp(name, ".") == 0 ||
	       strcmp(name, "..") == 0;
}

/*
 * The name exists but does not resolve: a dangling link. Its target is what
 * is to be made, still inside the root.
 */
static int follow_dangling(int dir, const char *name, const char *parent,
			   char *ret_path)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof target - 1);
	size_t len = 0;

	if (n <= 0)
		return -1;
	target[n] = '\0';
	if (target[0] != '/')
		len = strlen(parent);
	if (len + (size_t)n + 2 > PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memmove(ret_path, parent, len);
	if (len)
		ret_path[len++] = '/';
	memcpy(ret_path + len, target, (size_t)n + 1);
	return 0;
}

enum kind { KIND_DIR, KIND_FILE };

static int make_entry(int dir, const char *name, enum kind kind, mode_t mode)
{
	if (kind == KIND_DIR)
		return mkdirat(dir, name, mode);

	autoclose int fd = openat(dir, name,
				  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
					  O_CLOEXEC,
				  mode);

	return fd < 0 ? -1 : 0;
}

static int make(int root, const char *path, enum kind kind, mode_t mode,
		int links, bool *ret_created);

/* O_PATH of the existing or new directory that is to hold the last component. */
static int parent_of(int root, const char *parent, int links)
{
	int fd = root_open(root, parent, O_PATH | O_DIRECTORY);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	return make(root, parent, KIND_DIR, 0755, links, NULL);
}

static int make(int root, const char *path, enum kind kind, mode_t mode,
		int links, bool *ret_created)
{
	char parent[PATH_MAX], name[NAME_MAX + 1];
	int flags = O_PATH | (kind == KIND_DIR ? O_DIRECTORY : 0);
	int fd = root_open(root, path, flags);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (links <= 0) {
		errno = ELOOP;
		return -1;
	}
	if (split(path, parent, name) < 0)
		return -1;
	if (is_dot(name)) {
		errno = ENOENT;
		return -1;
	}

	autoclose int dir = parent_of(root, parent, links - 1);

	if (dir < 0)
		return -1;
	if (make_entry(dir, name, kind, mode) == 0) {
		if (ret_created)
			*ret_created = true;
		return openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
	}
	if (errno != EEXIST)
		return -1;
	if (follow_dangling(dir, name, parent, parent) < 0)
		/* Not a link: someone else made it meanwhile. */
		return root_open(root, path, flags);
	return make(root, parent, kind, mode, links - 1, ret_created);
}

int root_make_dir(int root, const char *path, mode_t mode, bool *ret_created)
{
	return make(root, path, KIND_DIR, mode, MAX_LINKS, ret_created);
}

int root_make_file(int root, const char *path, bool *ret_created)
{
	return make(root, path, KIND_FILE, 0644, MAX_LINKS, ret_created);
}

int root_make_parent(int root, const char *path, char *ret_name)
{
	char parent[PATH_MAX];

	if (split(path, parent, ret_name) < 0)
		return -1;
	if (is_dot(ret_name)) {
		errno = EINVAL;
		return -1;
	}
	return parent_of(root, parent, MAX_LINKS);
}
