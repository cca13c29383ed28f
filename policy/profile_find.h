/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_find.h - profiles by name: where they lie, and who may write them. */
#pragma once

#include "policy/policy.h"

struct arena;

/* NULL-terminated; the first that has the profile counts. */
extern const char *const profile_system_folders[];

/*
 * The policy of NAME.toml in the first folder that has it. A name with a
 * slash is a path, relative to the caller. ret_path, unless NULL, gets its own.
 */
int profile_load(struct arena *arena, const char *name,
		 const char *const *folders, const struct policy_place *place,
		 struct policy *ret, const char **ret_path);
