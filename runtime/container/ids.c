/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/ids.c - check an ID, and list all below a root. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/state_root.h"
#include "runtime/container/container.h"

#define MAX_ID 1024

static bool is_id(const char *id)
{
	size_t len = strlen(id);

	if (len == 0 || len > MAX_ID || streq(id, ".") || streq(id, ".."))
		return false;
	for (; *id; id++)
		if (!isascii((unsigned char)*id) ||
		    (!isalnum((unsigned char)*id) && !strchr("_+-.", *id)))
			return false;
	return true;
}

int container_check_id(const char *id)
{
	if (!is_id(id))
		return fail(0,
			    "invalid container ID format: '%s' (allowed are "
			    "1 to %d letters, digits and _ + - . but neither "
			    ". nor ..)",
			    id, MAX_ID);
	return 0;
}

static bool is_container(int root, const struct dirent *entry)
{
	struct stat st;

	if (!is_id(entry->d_name))
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(root, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int append(struct arena *arena, struct strings *list, size_t *cap,
		  const char *id)
{
	if (list->n + 1 >= *cap) {
		size_t more = *cap ? *cap * 2 : 64;
		const char **items = arena_grow(arena, list->items, list->n,
						more, sizeof *items);

		if (!items)
			return -ENOMEM;
		list->items = items;
		*cap = more;
	}
	list->items[list->n] = arena_strdup(arena, id);
	if (!list->items[list->n])
		return -ENOMEM;
	list->items[++list->n] = NULL;
	return 0;
}

int container_ids(struct arena *arena, const char *root, struct strings *ret)
{
	int fd = state_root_open(root);
	autoclosedir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct strings list = { 0 };
	size_t cap = 0;

	if (fd < 0)
		return fd;
	if (!dir) {
		int r = fail(errno, "list the state directory %s", root);

		close(fd);
		return r;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		int r;

		if (!is_container(dirfd(dir), e))
			continue;
		r = append(arena, &list, &cap, e->d_name);
		if (r < 0)
			return r;
	}
	if (list.n)
		qsort(list.items, list.n, sizeof *list.items, compare);
	*ret = list;
	return 0;
}
