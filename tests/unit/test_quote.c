/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_quote.c - words of others, for shells and for terminals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/util.h"
#include "oci/oci.h"
#include "runtime/cli/quote.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static void words_for_a_shell(void **state)
{
	static const char *const cases[][2] = {
		{ "plain", "plain" },
		{ "/usr/bin/a-b_c.d", "/usr/bin/a-b_c.d" },
		{ "", "''" },
		{ "a b", "'a b'" },
		{ "$HOME", "'$HOME'" },
		{ "it's", "'it'\\''s'" },
		{ "*", "'*'" },
		{ "~", "'~'" },
		{ "K=V", "'K=V'" },
		{ "a\nb", "'a\nb'" },
		{ "{a,b}", "'{a,b}'" },
		{ "#", "'#'" },
		{ "\xc3\xa9", "'\xc3\xa9'" },
	};
	const struct strings none = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(quote_word(*state, cases[i][0]),
				    cases[i][1]);
	assert_string_equal(quote_words(*state, &none), "");
	assert_string_equal(quote_words(*state,
					&(struct strings){
						(const char *[]){ "ls", "a b",
								  "" },
						3 }),
			    "ls 'a b' ''");
}

static void text_for_a_terminal(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "plain text", "plain text" },
		{ "\x1b[31m", "\\x1b[31m" },
		{ "a\nb\r", "a\\x0ab\\x0d" },
		{ "\x7f", "\\x7f" },
		{ "\xc3\xa9", "\xc3\xa9" },
		/* CSI in one character, and half a character. */
		{ "\xc2\x9b", "\\xc2\\x9b" },
		{ "\xc3", "\\xc3" },
		{ "\x9bm", "\\x9bm" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(quote_shown(*state, cases[i][0]),
				    cases[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_for_a_shell),
		cmocka_unit_test(text_for_a_terminal),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
