/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/overlay.h - the overlay that shows a workdir together with the changes of
 * its branch.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct branch;
struct mountinfo;
struct strings;

/* Where an overlay would find its directories. */
struct overlay {
	const char *lower;  /* the workdir */
	const char *branch; /* the directory of the branch */
	bool privileged;    /* mounted by root of the host */
	bool other_fs;	    /* the branch is on another file system */
};

/* Make the options of the mount, as mounts[].options has them. */
int overlay_options(struct arena *arena, const struct overlay *overlay,
		    struct strings *ret);
/* Return a mount below the workdir, which an overlay does not show; or NULL. */
const char *overlay_find_mount(const struct mountinfo *mounts,
			       const char *workdir);
/* Fail unless the kernel accepts this directory as an upper layer. */
int overlay_check_storage(int dir, const char *path, bool privileged);
/* Give the upper directory the attributes of the workdir. */
int overlay_prepare(const struct branch *branch, int workdir);
