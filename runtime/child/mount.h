/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/child/mount.h - functions shared by the files of mount steps. */
#pragma once

#include <stdbool.h>

#include "runtime/child/child.h"

/* Set errno, and a note if text is not NULL; always return -1. */
int child_refuse(struct child *child, int error, const char *text);
/* Make the directories above the last component of a path below dir. */
int child_make_above(int dir, const char *path);
/* True for the root directory of a procfs, false for other files on one. */
bool child_is_proc_root(int fd);

/* root.c */
int child_root_step(struct child *child, const struct step *step);
/* mask.c: STEP_MASK, STEP_READONLY_PATH, STEP_OWN_MOUNT */
int child_mask(struct child *child, const struct step *step);
int child_readonly_path(struct child *child, const struct step *step);
int child_own_mount(struct child *child, const struct step *step);
/*
 * copy.c: STEP_COPY_UP, STEP_COPY_SYMLINK, STEP_SYMLINK, STEP_MKNOD,
 * STEP_OWN_FILE, STEP_COVER
 */
int child_copy_up(struct child *child, const struct step *step);
int child_copy_symlink(struct child *child, const struct step *step);
int child_symlink(struct child *child, const struct step *step);
int child_mknod(struct child *child, const struct step *step);
int child_own_file(struct child *child, const struct step *step);
int child_cover(struct child *child, const struct step *step);
