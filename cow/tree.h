/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/tree.h - name files of a tree while other processes may change it.
 *
 * A path is relative to the root of a tree, "" is the root itself. No symbolic
 * link is followed, no mount is entered, and nothing outside is reached.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct arena;

struct tree_entry {
	uint32_t mode; /* 0: there is no such entry */
	uint32_t uid, gid;
	uint32_t nlink;
	uint64_t ino;
	uint64_t size;
	uint64_t device; /* of a device node */
	struct timespec mtime;
	int64_t ctime; /* nanoseconds since 1970 */
	bool fixed;    /* immutable, or append-only */
};

struct tree_names {
	const char **items; /* sorted */
	size_t n;
};

/* Open a file of the tree; flags as for open(2). -1 and errno. */
int tree_open(int root, const char *path, int flags);
/*
 * Open the directory of the last component with O_PATH, and return that
 * component; -1 and errno.
 */
int tree_open_parent(int root, const char *path, const char **ret_name);
/* Describe an entry of a directory; mode 0 if it is missing. -errno. */
int tree_stat(int dir, const char *name, struct tree_entry *ret);
/* The same by the path in a tree; mode 0 if a directory is missing, too. */
int tree_stat_path(int root, const char *path, struct tree_entry *ret);
/* List a directory that was opened for reading. */
int tree_names(struct arena *arena, int dir, struct tree_names *ret);
/* Join a directory and a name; NULL if out of memory. */
const char *tree_join(struct arena *arena, const char *dir, const char *name);
/* True if path is dir, or below it. */
bool tree_is_below(const char *path, const char *dir);
/* True if both directories are in one mount: a rename works between them. */
bool tree_same_mount(int a, int b);

static inline bool tree_is_type(const struct tree_entry *entry, uint32_t type)
{
	return (entry->mode & 0170000) == type;
}
