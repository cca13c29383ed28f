/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/stage.h - the directory on the workdir's own mount from which and to which
 * a commit moves files.
 *
 * It is the branch's own directory, if that is on the mount; else a directory
 * beside the workdir, or in it.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct branch;

struct stage {
	const char *path; /* NULL: the branch's directory */
	bool inside;	  /* it is in the workdir */
	bool copies;	  /* files of the upper directory must be copied */
	int dir;
	int files; /* copies; -1 without them */
	int trash; /* what was displaced */
};

#define STAGE_NONE                                  \
	{                                           \
		.dir = -1, .files = -1, .trash = -1 \
	}

void stage_close(struct stage *stage);
#define autostage __attribute__((cleanup(stage_close)))

/* Make it, empty. */
int stage_make(struct arena *arena, const struct branch *branch, int lower,
	       int upper, struct stage *ret);
/* Open the one that a journal names; NULL: that of the branch. */
int stage_open(const struct branch *branch, const char *path,
	       struct stage *ret);
/* Remove what a commit of the branch has made, wherever that is. */
int stage_remove(struct arena *arena, const struct branch *branch);
