/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/files.c - read and write cgroup files by directory and name. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define SEPARATORS ", \n"

bool list_has_n(const char *list, const char *word, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, SEPARATORS);

		if (n == len && strncmp(list, word, len) == 0)
			return true;
		list += n;
		list += strspn(list, SEPARATORS);
	}
	return false;
}

bool list_has(const char *list, const char *word)
{
	return list_has_n(list, word, strlen(word));
}

struct cgroup_member *member_with(const struct cgroup *cgroup,
				  const char *controller, size_t len)
{
	for (size_t i = 0; i < cgroup->n; i++) {
		struct cgroup_member *m = &cgroup->items[i];

		if (!m->v2 && list_has_n(m->controllers, controller, len))
			return m;
	}
	return NULL;
}

struct cgroup_member *member_v2(const struct cgroup *cgroup)
{
	for (size_t i = 0; i < cgroup->n; i++)
		if (cgroup->items[i].v2)
			return &cgroup->items[i];
	return NULL;
}

static int file_path(char *ret, const char *dir, const char *file)
{
	int n = snprintf(ret, CGROUP_PATH_SIZE, "%s/%s", dir, file);

	return n < 0 || n >= CGROUP_PATH_SIZE ? -ENAMETOOLONG : 0;
}

int file_write(const char *dir, const char *file, const char *text)
{
	char path[CGROUP_PATH_SIZE];

	if (file_path(path, dir, file) < 0)
		return fail(ENAMETOOLONG, "write %s/%s", dir, file);
	return io_write_at(AT_FDCWD, path, text);
}

ssize_t file_read(const char *dir, const char *file, char *ret, size_t size)
{
	return file_read_at(AT_FDCWD, dir, file, ret, size);
}

ssize_t file_read_at(int top, const char *dir, const char *file, char *ret,
		     size_t size)
{
	char path[CGROUP_PATH_SIZE];
	ssize_t n;

	if (file_path(path, dir, file) < 0)
		return -ENAMETOOLONG;

	autoclose int fd = openat(top, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	n = read(fd, ret, size - 1);
	if (n < 0)
		return -errno;
	if (n > 0 && ret[n - 1] == '\n')
		n--;
	ret[n] = '\0';
	return n;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_ends(const char *name, const char *prefix, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	return len >= strlen(prefix) + end && starts_with(name, prefix) &&
	       streq(name + len - end, suffix);
}

static const char *between(struct arena *arena, const char *name,
			   const char *prefix, const char *suffix)
{
	name += strlen(prefix);
	return arena_strndup(arena, name, strlen(name) - strlen(suffix));
}

int names_in(struct arena *arena, const char *dir, const char *sub,
	     const char *prefix, const char *suffix, struct strings *ret)
{
	struct strings list = { 0 };
	char path[CGROUP_PATH_SIZE];
	size_t size = 0;

	if (file_path(path, dir, sub) < 0)
		return fail(ENAMETOOLONG, "list %s/%s", dir, sub);

	autoclosedir DIR *stream = opendir(path);

	for (struct dirent *e; stream && (e = readdir(stream));) {
		if (!has_ends(e->d_name, prefix, suffix))
			continue;
		if (list.n + 1 >= size) {
			size = size ? 2 * size : 8;
			list.items = arena_grow(arena, list.items, list.n, size,
						sizeof *list.items);
		}
		if (!list.items)
			return -ENOMEM;
		list.items[list.n] = between(arena, e->d_name, prefix, suffix);
		if (!list.items[list.n++])
			return -ENOMEM;
	}
	if (list.n)
		qsort(list.items, list.n, sizeof *list.items, by_text);
	*ret = list;
	return 0;
}
