/* SPDX-License-Identifier: Apache-2.0 */
/* cow/branch_list.c - list branches, and measure one. */
#include "cow/branch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/strings.h"
#include "base/util.h"
#include "cow/storage.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add(struct arena *arena, struct strings *list, const char *name)
{
	if (branch_check_name(name) < 0) {
		err_clear(); /* Not a branch. */
		return 0;
	}
	return strings_add(arena, list, arena_strdup(arena, name));
}

int branch_list(struct arena *arena, struct strings *ret)
{
	struct strings list = { 0 };
	const char *home;
	autoclosedir DIR *dir = NULL;
	int fd, r = branch_home(arena, &home);

	if (r < 0)
		return r;
	fd = storage_open_home(home, false);
	if (fd == -ENOENT) {
		err_clear();
		*ret = list;
		return 0;
	}
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		r = fail(errno, "list %s", home);
		close(fd);
		return r;
	}
	for (struct dirent *e; r == 0 && (e = readdir(dir));)
		r = add(arena, &list, e->d_name);
	if (r < 0)
		return r;
	if (list.n)
		qsort(list.items, list.n, sizeof *list.items, by_name);
	*ret = list;
	return 0;
}

/* The directory above the one that a link of the home leads to; or NULL. */
static char *storage_of(struct arena *arena, int home, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(home, name, target, sizeof target - 1);
	const char *slash;

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return slash && slash > target ?
		       arena_strndup(arena, target, (size_t)(slash - target)) :
		       NULL;
}

int branch_storages(struct arena *arena, struct strings *ret)
{
	struct strings names, list = { 0 };
	const char *home;
	autoclose int fd = -1;
	int r = branch_home(arena, &home);

	if (r < 0)
		return r;
	fd = open(home, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		*ret = list; /* There are none. */
		return 0;
	}
	r = strings_add(arena, &list, home);
	if (r >= 0)
		r = branch_list(arena, &names);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		const char *path = storage_of(arena, fd, names.items[i]);

		if (path && !strings_has(&list, path))
			r = strings_add(arena, &list, path);
	}
	*ret = list;
	return r;
}

/* What cannot be read counts nothing. */
static uint64_t measure(int dir, const char *name)
{
	int fd = openat(dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	autoclosedir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	uint64_t sum = 0;
	struct stat st;

	if (!d) {
		closep(&fd);
		return 0;
	}
	for (struct dirent *e; (e = readdir(d));) {
		if (streq(e->d_name, ".") || streq(e->d_name, "..") ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		sum += (uint64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode))
			sum += measure(fd, e->d_name);
	}
	return sum;
}

int branch_usage(const struct branch *branch, uint64_t *ret)
{
	struct stat st;

	if (fstat(branch->dir, &st) < 0)
		return fail(errno, "branch %s: measure it", branch->name);
	*ret = (uint64_t)st.st_blocks * 512 + measure(branch->dir, ".");
	return 0;
}
