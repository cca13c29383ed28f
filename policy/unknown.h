/* SPDX-License-Identifier: Apache-2.0 */
/* policy/unknown.h - what to say about words and values of a file. */
#pragma once

struct arena;
struct policy_raw;

/* Record that a value is not what was wanted: "[1] is not true or false". */
int policy_unwanted(struct arena *arena, const struct policy_raw *value,
		    const char *wanted);
/*
 * Record an unknown name of this kind ("key"), its value (or NULL) and which
 * ones are known, up to NULL; negative.
 */
int policy_unknown(struct arena *arena, const char *kind, const char *name,
		   const struct policy_raw *value, const char *const *known);
