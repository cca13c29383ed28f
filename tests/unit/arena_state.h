/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/arena_state.h - an arena, as large as a command's, for the state of tests. */
#pragma once

#include "base/arena.h"

/* A test that begins with an empty one. */
#define arena_test(test) \
	cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

static int open_arena(void **state)
{
	static struct arena arena;

	*state = &arena;
	return arena_open(&arena, (size_t)48 << 20);
}

static int close_arena(void **state)
{
	arena_close(*state);
	return 0;
}
