/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_sandbox_name.c - every name has its ID, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/container/container.h"
#include "runtime/sandbox/name.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static void names_become_ids(void **state)
{
	static const struct {
		const char *name, *id;
	} cases[] = {
		{ "web", "web" },
		{ "sandbox-17", "sandbox-17" },
		{ "A_b-c.d", "A_b-c.d" },
		{ "a b", "a+20b" },
		{ "1+1", "1+2B1" },
		{ ".hidden", "+2Ehidden" },
		{ "a..b", "a..b" },
		{ "\xc3\xa9t\xc3\xa9", "+C3+A9t+C3+A9" },
		{ "tab\there", "tab+09here" },
		{ "@:%", "+40+3A+25" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *id, *name;

		assert_int_equal(sandbox_name_to_id(*state, cases[i].name, &id),
				 0);
		assert_string_equal(id, cases[i].id);
		assert_int_equal(container_check_id(id), 0);
		assert_int_equal(sandbox_name_from_id(*state, id, &name), 0);
		assert_string_equal(name, cases[i].name);
	}
}

static void every_byte_comes_back(void **state)
{
	for (int c = 1; c < 256; c++) {
		const char first[] = { (char)c, '\0' };
		const char later[] = { 'x', (char)c, 'y', '\0' };
		const char *const names[] = { first, later };

		for (size_t i = 0; i < COUNT(names); i++) {
			const char *id, *name;

			assert_int_equal(sandbox_name_to_id(*state, names[i],
							    &id),
					 0);
			assert_int_equal(container_check_id(id), 0);
			assert_int_equal(sandbox_name_from_id(*state, id,
							      &name),
					 0);
			assert_string_equal(name, names[i]);
		}
	}
}

static void other_ids_have_no_name(void **state)
{
	static const char *const ids[] = {
		"+",  "a+",  "a+2",  "a+2g", "a+2b1", "+41", "a+2E",
		".a", "a b", "a+00", "+2e",  "a+-1",  "..",  "a/b",
	};
	const char *name;

	for (size_t i = 0; i < COUNT(ids); i++) {
		if (sandbox_name_from_id(*state, ids[i], &name) >= 0)
			fail_msg("'%s' became '%s'", ids[i], name);
		assert_non_null(strstr(err_text(), "is not a sandbox ID"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_ids),
		cmocka_unit_test(every_byte_comes_back),
		cmocka_unit_test(other_ids_have_no_name),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
