/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_nearest.c - distances of words, and suggestions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/nearest.h"
#include "base/util.h"

#include <cmocka.h>

static size_t distance(const char *a, const char *b)
{
	return nearest_distance(a, strlen(a), b, strlen(b));
}

static void distances(void **state)
{
	static const struct {
		const char *a, *b;
		size_t distance;
	} rows[] = {
		{ "", "", 0 },
		{ "read", "read", 0 },
		{ "READ", "read", 0 },
		{ "no_coredump", "no-coredump", 0 },
		{ "", "read", 4 },
		{ "reed", "read", 1 },
		{ "rea", "read", 1 },
		{ "reads", "read", 1 },
		{ "raed", "read", 1 },
		{ "erda", "read", 2 },
		{ "daer", "read", 3 },
		{ "memroy", "memory", 1 },
		{ "filesytem", "filesystem", 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(distance(rows[i].a, rows[i].b),
				 rows[i].distance);
		assert_int_equal(distance(rows[i].b, rows[i].a),
				 rows[i].distance);
	}
}

static void long_words_are_never_near(void **state)
{
	char word[NEAREST_MAX + 1] = { 0 };

	(void)state;
	memset(word, 'a', NEAREST_MAX);
	assert_int_equal(distance(word, "a"), NEAREST_MAX);
	assert_int_equal(distance(word, word), NEAREST_MAX);
}

static void suggestions(void **state)
{
	static const char *const known[] = { "run",   "read",  "write",
					     "deny",  "start", "state",
					     "pause", "ps",    "processes" };
	static const struct {
		const char *word, *meant;
	} rows[] = {
		{ "rnu", "run" },     { "reda", "read" },
		{ "wirte", "write" }, { "dney", "deny" },
		{ "stat", "start" },  { "stte", "state" },
		{ "sp", "ps" },	      { "proceses", "processes" },
		{ "x", NULL },	      { "", NULL },
		{ "xyz", NULL },      { "nonesuch", NULL },
		{ "wrong", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct nearest near =
			nearest_to(rows[i].word, strlen(rows[i].word));

		for (size_t k = 0; k < COUNT(known); k++)
			nearest_try(&near, known[k], known[k]);
		if (!rows[i].meant)
			assert_null(nearest_found(&near));
		else
			assert_string_equal(nearest_found(&near),
					    rows[i].meant);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(long_words_are_never_near),
		cmocka_unit_test(suggestions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
