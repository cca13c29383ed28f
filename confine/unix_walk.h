/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_walk.h - collect the paths of Unix sockets in a root, which must
 * be covered; walk directories where their names are unknown.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "oci/oci.h"

struct arena;

struct unix_paths {
	const char **items;
	size_t n, size;
};

struct unix_walk {
	struct arena *arena;
	int root;
	struct strings listed; /* paths that need no cover, without links */
	/* True if a directory contains a path that must stay visible. */
	bool (*is_wanted)(const struct unix_walk *walk, const char *dir);
	const void *user;

	struct unix_paths found; /* sockets, and directories as a whole */

	/* Private. */
	struct unix_paths pending; /* directories to search later */
	size_t level;
	size_t ndeep; /* directories covered because they are too deep */
	char path[PATH_MAX];
};

/* Add all sockets of a mount, but not of mounts below it. */
int unix_walk_mount(struct unix_walk *walk, const char *place);
/* Add one path, unless it is listed. */
int unix_walk_add(struct unix_walk *walk, const char *path);
/*
 * Add a directory that cannot be entered, if the workload could enter it; warn
 * instead if something in it must stay visible.
 */
int unix_walk_closed(struct unix_walk *walk, const char *path);
