/* SPDX-License-Identifier: Apache-2.0 */
/* policy/presets_internal.h - presets whose members must be searched for. */
#pragma once

#include <stddef.h>

struct arena;
struct policy_context;

struct preset_builder {
	struct arena *arena;
	const struct policy_context *context;
	const char *name; /* of the preset */
	const char **items;
	size_t n, size;
};

/* Add a path, or a pattern, unless it is present; NULL means out of memory. */
int preset_add(struct preset_builder *b, const char *path);
int preset_add_pattern(struct preset_builder *b, const char *pattern);
/*
 * Resolve a member of the tables to a path: 1, or 0 if its variable is not set.
 * Fail if the home or project is needed and unknown.
 */
int preset_member(const struct preset_builder *b, const char *member,
		  const char **ret);
/* Join dir/name; an absolute name is used alone. NULL if out of memory. */
const char *preset_join(struct arena *arena, const char *dir, const char *name);

/* Where a virtual environment may be, as members of the tables. */
extern const char *const preset_environments[];

int preset_python(struct preset_builder *b);
int preset_git_hooks(struct preset_builder *b);
int preset_git_config(struct preset_builder *b);
