/* SPDX-License-Identifier: Apache-2.0 */
/* base/strings.c - lists of strings. */
#include "base/strings.h"

#include <errno.h>

#include "base/arena.h"
#include "base/util.h"

bool strings_has(const struct strings *list, const char *word)
{
	for (size_t i = 0; i < list->n; i++)
		if (streq(list->items[i], word))
			return true;
	return false;
}

int strings_add(struct arena *arena, struct strings *list, const char *text)
{
	const char **items = text ? arena_grow(arena, list->items, list->n,
					       list->n + 2, sizeof *items) :
				    NULL;

	if (!items)
		return -ENOMEM;
	items[list->n] = text;
	items[list->n + 1] = NULL;
	*list = (struct strings){ items, list->n + 1 };
	return 0;
}
