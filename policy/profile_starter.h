/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_starter.h - write a first profile for `profile new`. */
#pragma once

struct arena;

/* Write a profile that allows little, with all other keys as comments. */
int profile_starter(struct arena *arena, const char *name, const char **ret);
