/* SPDX-License-Identifier: Apache-2.0 */
/* policy/complain.h - what to say about words and values of a file. */
#pragma once

#include <stddef.h>

struct arena;
struct policy_raw;

/* Record that a value is not what was wanted: "[1] is not true or false". */
int policy_unwanted(struct arena *arena, const struct policy_raw *value,
		    const char *wanted);
/*
 * Record what is wrong, and which words there are, up to NULL; negative. Either
 * is NULL where there was no memory for it.
 */
int policy_none_of(struct arena *arena, const char *what,
		   const char *const *known);
/* The same of "@preset", which is none of paths, or of variables. */
int policy_no_preset(struct arena *arena, const char *text, const char *of,
		     const char *(*name)(size_t index));
/*
 * Record an unknown name of this kind ("key"), its value (or NULL) and which
 * ones are known, up to NULL; negative.
 */
int policy_unknown(struct arena *arena, const char *kind, const char *name,
		   const struct policy_raw *value, const char *const *known);
