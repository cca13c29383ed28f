/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/arena.c - an arena in the place of base/arena.c, each of whose
 * pieces is an object of the heap: the sanitizer sees where it ends.
 */
#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"

#define ALIGNMENT 16

/* In front of each piece, so that all can be freed. */
struct piece {
	struct piece *next;
	size_t size;
};

_Static_assert(sizeof(struct piece) % ALIGNMENT == 0, "pieces are aligned");

int arena_open(struct arena *arena, size_t size)
{
	*arena = (struct arena){ .size = size };
	return 0;
}

int arena_open_shared(struct arena *arena, size_t size)
{
	return arena_open(arena, size);
}

void arena_close(struct arena *arena)
{
	struct piece *piece = (struct piece *)(void *)arena->memory;

	while (piece) {
		struct piece *next = piece->next;

		free(piece);
		piece = next;
	}
	*arena = (struct arena){ 0 };
}

void arena_clear(struct arena *arena)
{
	size_t size = arena->size;

	arena_close(arena);
	arena->size = size;
}

/* As much fits as in the real one. */
void *arena_alloc(struct arena *arena, size_t size)
{
	struct piece *piece;

	if (size > arena->size - arena->used ||
	    arena->size - arena->used - size < ALIGNMENT) {
		fail(ENOMEM,
		     "the input is too large: it needs more than %zu MiB of "
		     "memory",
		     arena->size >> 20);
		return NULL;
	}
	piece = calloc(1, sizeof *piece + size);
	if (!piece)
		abort();
	piece->size = size;
	piece->next = (struct piece *)(void *)arena->memory;
	arena->memory = (char *)piece;
	arena->used += (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	return piece + 1;
}
