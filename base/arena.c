/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena.c - allocate memory from one mapping. */
#include "base/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"

#define ALIGNMENT 16

static int map(struct arena *arena, size_t size, int sharing)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return fail(errno,
			    "reserve %zu bytes of memory (see ulimit -v)",
			    size);
		/*
	 * Few pages are used. Where the kernel gives huge pages by itself, it
	 * would clear 2 MiB at once, and a waiting container would keep them.
	 */
#ifdef MADV_NOHUGEPAGE
	(void)madvise(memory, size, MADV_NOHUGEPAGE);
#endif
	*arena = (struct arena){ .memory = memory, .size = size };
	return 0;
}

int arena_open(struct arena *arena, size_t size)
{
	return map(arena, size, MAP_PRIVATE);
}

int arena_open_shared(struct arena *arena, size_t size)
{
	return map(arena, size, MAP_SHARED);
}

void arena_close(struct arena *arena)
{
	if (arena->memory)
		munmap(arena->memory, arena->size);
	*arena = (struct arena){ 0 };
}

void arena_clear(struct arena *arena)
{
	memset(arena->memory, 0, arena->used);
	arena->used = 0;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t at = arena->used;

	if (size > arena->size - at || arena->size - at - size < ALIGNMENT) {
		fail(ENOMEM,
		     "the input is too large: it needs more than %zu MiB of "
		     "memory",
		     arena->size >> 20);
		return NULL;
	}
	arena->used = (at + size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	return arena->memory + at;
}
