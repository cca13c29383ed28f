/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/masks.h - mounts on paths of a container, made in its mount
 * namespace. Paths contain no links.
 */
#pragma once

#include <stdbool.h>

struct mountinfo;

/* Target of links in place of missing files: no process can create it. */
#define MASK_NOWHERE "/proc/sandlock/nothing"

/* The mask for covered paths; tree is made on first use. */
struct masks {
	int root;
	int tree;
};

/* What a mask looks like: nobody can open or change it. */
enum mask_kind { MASK_DIRECTORY, MASK_FILE, MASK_NOTHING };

/* Attach the tree of the masks to the root, below all others. */
int masks_open(struct masks *masks);
/* Return a mask that is not attached yet; -1 and errno. */
int masks_clone(const struct masks *masks, enum mask_kind kind);
/* Attach it to a path, and verify that. */
int masks_attach(const struct masks *masks, int tree, const char *path,
		 enum mask_kind kind);
/* Cover a path: no process can open, execute or connect to it. */
int masks_cover(struct masks *masks, const char *path);
/* Put a dangling link there: no process finds or creates a file. */
int masks_leave_out(struct masks *masks, const char *path);
/*
 * Mount the same tree with fewer rights; without a change this only keeps it
 * from being renamed.
 */
int masks_narrow(int root, const char *path, bool readonly, bool noexec);
void masks_close(struct masks *masks);

/* Fail if a mount on path would propagate to the host. */
int masks_check(const struct mountinfo *mounts, int root, const char *path);
