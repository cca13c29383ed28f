/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/profile_find.h - find profiles by name, and check who may write them.
 */
#pragma once

#include "policy/policy.h"

struct arena;

/* NULL-terminated; the first folder that has the profile is used. */
extern const char *const profile_system_folders[];

/*
 * Load NAME.toml from the first folder that has it, else the built-in profile
 * NAME. A name with a slash is a path, relative to the cwd. ret_path, unless
 * NULL, gets the path of the file, or NULL without one.
 */
int profile_load(struct arena *arena, const char *name,
		 const char *const *folders, const struct policy_place *place,
		 struct policy *ret, const char **ret_path);
