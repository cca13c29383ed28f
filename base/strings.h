/* SPDX-License-Identifier: Apache-2.0 */
/* base/strings.h - lists of strings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * items[n] is NULL, so that a list can be an argv; an empty list has no items.
 */
struct strings {
	const char **items;
	size_t n;
};

bool strings_has(const struct strings *list, const char *word);
/* An array of words that ends with NULL, as a list. */
#define STRINGS_OF(words)                          \
	((struct strings){ (const char **)(words), \
			   sizeof(words) / sizeof *(words)-1 })

/*
 * Append a string that outlives the list. NULL means out of memory; -ENOMEM is
 * recorded. The items are copied, so another list that shares them does not
 * change.
 */
int strings_add(struct arena *arena, struct strings *list, const char *text);
