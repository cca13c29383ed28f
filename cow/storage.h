/* SPDX-License-Identifier: Apache-2.0 */
/* cow/storage.h - the directories in which branches are stored. */
#pragma once

struct arena;
struct branch_wishes;

#define STORAGE_NAME ".sandlock-cow"

/*
 * Open the i-th place for a branch of workdir, made if missing: the storage that
 * was asked for, and no other; else beside the workdir, if that is one mount
 * with it; else home. -ENOENT for i 0: there is no such place, try the next one.
 */
int storage_open(struct arena *arena, const struct branch_wishes *wishes,
		 const char *home, unsigned int i, const char **ret_path);
/* Open the home; made if `make`. -ENOENT if it is missing. */
int storage_open_home(const char *home, int make);
/* Fail unless the directory belongs to the caller, and to nobody else. */
int storage_check_own(int fd, const char *path);
