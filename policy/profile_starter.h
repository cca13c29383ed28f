/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_starter.h - write a first profile for `profile new`. */
#pragma once

struct arena;
struct profile_builtin;

/* Write a profile that allows little, with all other keys as comments. */
int profile_starter(struct arena *arena, const char *name, const char **ret);
/* Write a built-in profile under a new name. */
int profile_starter_for(struct arena *arena, const char *name,
			const struct profile_builtin *kind, const char **ret);
