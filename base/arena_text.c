/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena_text.c - allocate arrays and texts by arena_alloc. */
#include "base/arena.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size) {
		fail(ENOMEM,
		     "the input is too large: an array of %zu entries does not "
		     "fit into memory",
		     count);
		return NULL;
	}
	return arena_alloc(arena, count * size);
}

void *arena_grow(struct arena *arena, const void *old, size_t old_count,
		 size_t new_count, size_t size)
{
	void *grown = arena_array(arena, new_count, size);

	if (grown && old_count)
		memcpy(grown, old, old_count * size);
	return grown;
}

void *arena_room(struct arena *arena, void *items, size_t n, size_t *room,
		 size_t size)
{
	size_t more = *room ? 2 * *room : 16;
	void *grown;

	if (n < *room)
		return items;
	grown = arena_grow(arena, items, n, more, size);
	if (grown)
		*room = more;
	return grown;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0) {
		fail(0,
		     "internal error: cannot format a message or path by the template '%s'",
		     fmt);
		return NULL;
	}
	text = arena_alloc(arena, (size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, ap);
	return text;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(arena, fmt, ap);
	va_end(ap);
	return text;
}
