/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/arena.h - the memory of one command, mapped before its first effect.
 *
 * Allocations are not freed one by one. If the arena is full, a function
 * records an error and returns NULL.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct arena {
	char *memory;
	size_t used;
	size_t size;
};

int arena_open(struct arena *arena, size_t size);
/* Like arena_open; children of this process see and make changes, too. */
int arena_open_shared(struct arena *arena, size_t size);
void arena_close(struct arena *arena);
/* Free everything at once and keep the mapping. */
void arena_clear(struct arena *arena);

/*
 * Return zeroed memory, aligned for any type; NULL with a recorded ENOMEM if
 * full.
 */
void *arena_alloc(struct arena *arena, size_t size);
/* Return count members of size bytes; NULL also if the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* Return a larger copy of an array; the old one stays valid. */
void *arena_grow(struct arena *arena, const void *old, size_t old_count,
		 size_t new_count, size_t size);
/*
 * Return an array of *room members, n of them used, with room for one more:
 * itself, or a copy that is twice as large.
 */
void *arena_room(struct arena *arena, void *items, size_t n, size_t *room,
		 size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t len);
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
