/* SPDX-License-Identifier: Apache-2.0 */
/* policy/complain.h - error texts about words and values of a file. */
#pragma once

#include <stddef.h>

struct arena;
struct policy_raw;

/* Record that a value has the wrong type: "[1] is not true or false". */
int policy_unwanted(struct arena *arena, const struct policy_raw *value,
		    const char *wanted);
/*
 * Record an error, the known word that is most similar to `word`, and the list
 * of known words, up to NULL; return a negative value. what and known may be
 * NULL, which means out of memory.
 */
int policy_none_of(struct arena *arena, const char *word, const char *what,
		   const char *const *known);
/* Record that "@preset" is not a preset of paths, or of variables. */
int policy_no_preset(struct arena *arena, const char *text, const char *of,
		     const char *(*name)(size_t index));
/*
 * Record an unknown name of this kind ("key"), its value (or NULL) and the
 * known names, up to NULL; return a negative value.
 */
int policy_unknown(struct arena *arena, const char *kind, const char *name,
		   const struct policy_raw *value, const char *const *known);
