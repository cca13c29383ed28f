/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/masks.h - mounts on paths of a container, from within its mount
 * namespace. Paths are without links.
 */
#pragma once

#include <stdbool.h>

struct mountinfo;

/* Target of links in place of missing files: no process can create it. */
#define MASK_NOWHERE "/proc/sandlock/nothing"

/* What covers a path; tree is there once it is used. */
struct masks {
	int root;
	int tree;
};

/* Nobody opens, executes or connects to what is covered. */
int masks_cover(struct masks *masks, const char *path);
/* Put a dangling link there: no process finds or creates a file. */
int masks_leave_out(struct masks *masks, const char *path);
/* The same tree again, with less; with nothing less it cannot be moved. */
int masks_narrow(int root, const char *path, bool readonly, bool noexec);
void masks_close(struct masks *masks);

/* An error where a mount on path would be one of the host's, too. */
int masks_check(const struct mountinfo *mounts, int root, const char *path);
