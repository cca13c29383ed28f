/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_starter.h - a profile to begin with. */
#pragma once

struct arena;

/* Little is allowed, and every key that could allow more is a comment. */
int profile_starter(struct arena *arena, const char *name, const char **ret);
