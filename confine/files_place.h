/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_place.h - the files of a root: the paths that the kernel shows,
 * and what presets read there.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "policy/presets.h"

struct arena;
struct files_place;

/* Get the kernel's path of a descriptor; `file` is its name in errors. */
int files_kernel_path(struct arena *arena, const struct files_place *place,
		      int fd, const char *file, char **ret);
/* Get a path without links, relative to the root, whose own path is `top`. */
int files_path_below(struct arena *arena, const struct files_place *place,
		     const char *top, int fd, const char *file,
		     const char **ret);
/* True if a path is as the kernel shows it, unless a link is on the way. */
bool files_is_tidy(const char *path);
/* True if it is a character device, and this one unless 0. */
bool files_is_device(int fd, dev_t device);
/* True if it is on a file system of this type, a number of linux/magic.h. */
bool files_is_on(int fd, long type);
/* True if a file of the root is a dynamic loader. */
bool files_is_loader(int root, const char *path);
/* Return what presets need to know and call; valid as long as place. */
struct policy_context files_context(const struct files_place *place);
