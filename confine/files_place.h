/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_place.h - the files of a root: the paths that the kernel shows,
 * and what presets read there.
 */
#pragma once

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
/* Return what presets need to know and call; valid as long as place. */
struct policy_context files_context(const struct files_place *place);
