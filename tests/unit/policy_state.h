/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/policy_state.h - the arena of the policy tests, and what they expect. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"

#include <cmocka.h> /* late: its fail() is a macro */

static struct arena arena;

static int open_arena(void **state)
{
	(void)state;
	return arena_open(&arena, 512 << 20);
}

static int close_arena(void **state)
{
	(void)state;
	arena_close(&arena);
	return 0;
}

static inline void takes(int r, const char *name)
{
	if (r < 0)
		fail_msg("%s: %s", name, err_text());
}

static inline void refused(int r, const char *why)
{
	if (r >= 0)
		fail_msg("not refused: %s", why);
	if (!strstr(err_text(), why))
		fail_msg("'%s', not '%s'", err_text(), why);
}

static inline void says(const struct policy *policy, const char *expected)
{
	const char *text;

	assert_int_equal(policy_to_toml(&arena, policy, &text), 0);
	assert_string_equal(text, expected);
}
