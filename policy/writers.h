/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/writers.h - which users can change a file of the operator, private to policy/.
 */
#pragma once

#include <stdbool.h>

struct arena;

/* Fail unless only root, or the caller, can change this file or directory. */
int writers_check(int fd, const char *path);
/* The same for a file, which must not be a link, and for its directory. */
int writers_check_file(struct arena *arena, const char *path);
/* Open the directory of a file; -1 with errno if that fails. */
int writers_open_folder(struct arena *arena, const char *path,
			const char **ret_folder);
/* True if the caller is root, not only in a user namespace of a user. */
bool writers_is_root(void);
