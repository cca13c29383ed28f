/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_toml_refused.c - what TOML 1.0 forbids, and what we say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/toml.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

struct invalid {
	const char *text;
	const char *error;
};

/* In memory of exactly its size, so that reading beyond it shows. */
static void refuse(struct arena *arena, const char *text, size_t len,
		   const char *error)
{
	autofree char *exact = malloc(len ? len : 1);
	const struct toml_value *v = NULL;

	assert_non_null(exact);
	memcpy(exact, text, len);
	if (toml_parse(arena, exact, len, &v) == 0)
		fail_msg("accepted: %s", text);
	assert_null(v);
	if (!streq(err_text(), error))
		fail_msg("%s\nis   %s\nnot  %s", text, err_text(), error);
}

static void check(struct arena *arena, const struct invalid *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		refuse(arena, cases[i].text, strlen(cases[i].text),
		       cases[i].error);
}

#define NOT_UTF8(column) \
	"line 1, column " #column ": this character is not UTF-8"

static void bytes(void **state)
{
	static const struct invalid cases[] = {
		{ "a = '\x80'", NOT_UTF8(6) },
		{ "# \xc3", NOT_UTF8(3) },
		{ "a = 'é\xff'", NOT_UTF8(7) },
		{ "a = '\xc0\xaf'", NOT_UTF8(6) },
		{ "a = '\xed\xa0\x80'", NOT_UTF8(6) },
		{ "a = '\xf4\x90\x80\x80'", NOT_UTF8(6) },
		{ "\xef\xbb\xbf"
		  "a = 1",
		  "line 1, column 1: begins with a byte order mark, which is "
		  "not allowed: remove it" },
		{ "a = 1 # \x01",
		  "line 1, column 9: control character 0x01 is not allowed" },
		{ "a = '\x7f'",
		  "line 1, column 6: control character 0x7f is not allowed" },
		{ "a = \"\x1f\"",
		  "line 1, column 6: control character 0x1f is not allowed" },
		{ "a = \"\"\"\n\b\"\"\"",
		  "line 2, column 1: control character 0x08 is not allowed" },
		{ "a = 1\rb = 2",
		  "line 1, column 6: control character 0x0d is not allowed" },
		{ "# c\r",
		  "line 1, column 4: control character 0x0d is not allowed" },
		{ "a = '''\r'''",
		  "line 1, column 8: control character 0x0d is not allowed" },
		{ "a = 1\f",
		  "line 1, column 6: control character 0x0c is not allowed" },
	};

	check(*state, cases, COUNT(cases));
	refuse(*state, "a = 1\0", 6,
	       "line 1, column 6: control character 0x00 is not allowed");
	refuse(*state,
	       "\xff\xfe"
	       "a\0=\0",
	       6, NOT_UTF8(1));
}

static void lines_and_keys(void **state)
{
	static const struct invalid cases[] = {
		{ "a", "line 1, column 2: expected '=' after a key" },
		{ "a = ", "line 1, column 5: expected a value, such as "
			  "\"text\", 5, true or [1, 2]" },
		{ "a = # c", "line 1, column 5: expected a value, such as "
			     "\"text\", 5, true or [1, 2]" },
		{ "a =\n1", "line 1, column 4: expected a value, such as "
			    "\"text\", 5, true or [1, 2]" },
		{ "a\n= 1", "line 1, column 2: expected '=' after a key" },
		{ "= 1", "line 1, column 1: expected a key (letters, digits, _ "
			 "and -, or a string)" },
		{ "a = 1 b = 2",
		  "line 1, column 7: expected the end of the line" },
		{ "a = 1, b = 2",
		  "line 1, column 6: expected the end of the line" },
		{ "a = 'x''y'",
		  "line 1, column 8: expected the end of the line" },
		{ "a b = 1", "line 1, column 3: expected '=' after a key" },
		{ "a: 1", "line 1, column 2: expected '=' after a key" },
		{ "é = 1", "line 1, column 1: expected a key (letters, digits, "
			   "_ and -, or a string)" },
		{ "a# = 1", "line 1, column 2: expected '=' after a key" },
		{ "a. = 1", "line 1, column 4: expected a key (letters, "
			    "digits, _ and -, or a string)" },
		{ ".a = 1", "line 1, column 1: expected a key (letters, "
			    "digits, _ and -, or a string)" },
		{ "a..b = 1", "line 1, column 3: expected a key (letters, "
			      "digits, _ and -, or a string)" },
		{ "a.\nb = 1", "line 1, column 3: expected a key (letters, "
			       "digits, _ and -, or a string)" },
		{ "\"a = 1", "line 1, column 1: this string has no closing "
			     "quote" },
		{ "\"\"\"a\"\"\" = 1",
		  "line 1, column 3: expected '=' after a key" },
		{ "'''a''' = 1", "line 1, column 3: expected '=' after a key" },
		{ "\"a\nb\" = 1",
		  "line 1, column 1: this string has no closing quote" },
		{ "\"\\x\" = 1",
		  "line 1, column 2: unknown escape '\\x' in a string (write "
		  "\\\\ for a backslash)" },
		{ "]", "line 1, column 1: expected a key (letters, digits, _ "
		       "and -, or a string)" },
		{ "b = 1\n\n  a = é", "line 3, column 7: expected a value, "
				      "such as \"text\", 5, true or [1, 2]" },
	};

	check(*state, cases, COUNT(cases));
}

static void strings(void **state)
{
	static const struct invalid cases[] = {
		{ "a = \"", "line 1, column 5: this string has no closing "
			    "quote" },
		{ "a = 'x", "line 1, column 5: this string has no closing "
			    "quote" },
		{ "a = \"x\ny\"",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = 'x\ny'",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = \"x\\\ny\"",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = \"x\\\"",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = \"x\\",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = \"\"\"x\n\"\"",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = '''x''",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = \"\"\"x\\\"\"\"",
		  "line 1, column 5: this string has no closing quote" },
		{ "a = \"\"\"x\"\"\"\"\"\"",
		  "line 1, column 14: expected the end of the line" },
		{ "a = '''x''''''",
		  "line 1, column 14: expected the end of the line" },
		{ "a = \"\\a\"",
		  "line 1, column 6: unknown escape '\\a' in a string (write "
		  "\\\\ for a backslash)" },
		{ "a = \"\\e\"",
		  "line 1, column 6: unknown escape '\\e' in a string (write "
		  "\\\\ for a backslash)" },
		{ "a = \"\\x41\"",
		  "line 1, column 6: unknown escape '\\x' in a string (write "
		  "\\\\ for a backslash)" },
		{ "a = \"\\'\"",
		  "line 1, column 6: unknown escape '\\'' in a string (write "
		  "\\\\ for a backslash)" },
		{ "a = \"\\ \"",
		  "line 1, column 6: unknown escape '\\ ' in a string (write "
		  "\\\\ for a backslash)" },
		{ "a = \"\\é\"",
		  "line 1, column 6: unknown escape '\\é' in a string (write "
		  "\\\\ for a backslash)" },
		{ "a = \"\"\"x\\ y\n\"\"\"",
		  "line 1, column 9: unknown escape '\\ ' in a string (write "
		  "\\\\ for a backslash)" },
		{ "a = \"\\u12\"",
		  "line 1, column 6: \\u needs 4 hexadecimal digits" },
		{ "a = \"\\u12g4\"",
		  "line 1, column 6: \\u needs 4 hexadecimal digits" },
		{ "a = \"\\U0001F43\"",
		  "line 1, column 6: \\U needs 8 hexadecimal digits" },
		{ "a = \"\\ud800\"",
		  "line 1, column 6: \\ud800 is not a Unicode character" },
		{ "a = \"\\UDFFF\"",
		  "line 1, column 6: \\U needs 8 hexadecimal digits" },
		{ "a = \"\\U0000dfff\"",
		  "line 1, column 6: \\U0000dfff is not a Unicode character" },
		{ "a = \"\\U00110000\"",
		  "line 1, column 6: \\U00110000 is not a Unicode character" },
		{ "a = \"\\u0000\"",
		  "line 1, column 6: a NUL character is not supported in a "
		  "string" },
		{ "\"a\\U00000000\" = 1",
		  "line 1, column 3: a NUL character is not supported in a "
		  "string" },
	};

	check(*state, cases, COUNT(cases));
}

/* The reason contains %s for the value, or nothing. */
static void check_values(struct arena *arena, const char *const *values,
			 size_t n, const char *reason)
{
	const char *place = strstr(reason, "%s");
	int before = (int)(place ? place - reason : (ptrdiff_t)strlen(reason));

	for (size_t i = 0; i < n; i++) {
		const char *text = arena_printf(arena, "a = %s", values[i]);
		const char *error =
			arena_printf(arena, "line 1, column 5: %.*s%s%s",
				     before, reason, place ? values[i] : "",
				     place ? place + strlen("%s") : "");

		refuse(arena, text, strlen(text), error);
	}
}

#define NO_VALUE "'%s' is not a value (a string needs quotes)"

static void words_that_are_no_values(void **state)
{
	static const char *const values[] = {
		"yes",	"True", "TRUE",	 "truer", "Inf",   "NaN", "infinity",
		"nul",	"01",	"-01",	 "+01",	  "00",	   "0x",  "0o",
		"0b",	"0xg",	"0o8",	 "0b2",	  "0X1",   "0O1", "0B1",
		"+0x1", "-0b1", "--1",	 "++1",	  "1a",	   "1-2", ".5",
		"5.",	"1.e5", "+.5",	 "1.5.5", "1e",	   "1e+", "1e1.5",
		"1.5e", "00.5", "03.14", "1e5e5", "0x1.5", "+",	  "-",
		".",
	};

	check_values(*state, values, COUNT(values), NO_VALUE);
}

static void numbers(void **state)
{
	static const char *const underscored[] = {
		"_1",	"1_",	"1__0", "0x_1", "0x1_", "0b_1", "0_x1", "1_.5",
		"1._5", "1.5_", "1e_5", "1_e5", "1e5_", "+_1",	"-1_",	"_",
	};
	static const struct invalid cases[] = {
		{ "a = 9223372036854775808",
		  "line 1, column 5: 9223372036854775808 does not fit into 64 "
		  "bits" },
		{ "a = -9223372036854775809",
		  "line 1, column 5: -9223372036854775809 does not fit into 64 "
		  "bits" },
		{ "a = 99999999999999999999999",
		  "line 1, column 5: 99999999999999999999999 does not fit into "
		  "64 bits" },
		{ "a = 0x8000000000000000",
		  "line 1, column 5: 0x8000000000000000 does not fit into 64 "
		  "bits" },
		{ "a = 0xfffffffffffffffff",
		  "line 1, column 5: 0xfffffffffffffffff does not fit into 64 "
		  "bits" },
		{ "a = 1 000",
		  "line 1, column 7: expected the end of the line" },
		{ "a = 1,5", "line 1, column 6: expected the end of the line" },
	};

	check_values(*state, underscored, COUNT(underscored),
		     "an underscore must be between digits");
	check(*state, cases, COUNT(cases));
}

static void dates_and_times(void **state)
{
	static const char *const values[] = {
		"2023-02-29",
		"1900-02-29",
		"2100-02-29",
		"2024-02-30",
		"2024-04-31",
		"2024-06-31",
		"2024-09-31",
		"2024-11-31",
		"2024-01-32",
		"2024-00-01",
		"2024-13-01",
		"2024-01-00",
		"2024-1-01",
		"2024-01-1",
		"2024-01-011",
		"2024-01",
		"2024-",
		"2024-01-01T",
		"2024-01-01T7",
		"2024-01-01x07:00:00",
		"2024-01-01T07:00",
		"2024-01-01T07:00Z",
		"2024-01-01T07:00:00A",
		"2024-01-01T24:00:00Z",
		"2024-01-01T07:60:00",
		"2024-01-01T07:00:61",
		"2024-01-01T07:00:00+24:00",
		"2024-01-01T07:00:00+01:60",
		"2024-01-01T07:00:00+0100",
		"2024-01-01T07:00:00+01",
		"2024-01-01T07:00:00+1:00",
		"2024-01-01T07:00:00ZZ",
		"2024-01-01T07:00:00.",
		"2024-01-01T07:00:00.Z",
		"2024-01-01Z",
		"2024-01-01+01:00",
		"2024-01-01 7:00:00",
		"07:00",
		"07:00:0",
		"7:00:00",
		"24:00:00",
		"07:60:00",
		"07:00:61",
		"07:00:00Z",
		"07:00:00.",
		"07:00:00.5.5",
	};

	for (size_t i = 0; i < COUNT(values); i++) {
		bool is_word = streq(values[i], "7:00:00");

		check_values(*state, &values[i], 1,
			     is_word ? NO_VALUE : "no such date or time: %s");
	}
}

static void arrays_and_inline_tables(void **state)
{
	static const struct invalid cases[] = {
		{ "a = [", "line 1, column 6: expected a value, such as "
			   "\"text\", 5, true or [1, 2]" },
		{ "a = [1",
		  "line 1, column 7: expected ',' or ']' in an array" },
		{ "a = [1 2]",
		  "line 1, column 8: expected ',' or ']' in an array" },
		{ "a = [,]", "line 1, column 6: expected a value, such as "
			     "\"text\", 5, true or [1, 2]" },
		{ "a = [1,,2]", "line 1, column 8: expected a value, such as "
				"\"text\", 5, true or [1, 2]" },
		{ "a = [1]]",
		  "line 1, column 8: expected the end of the line" },
		{ "a = [1,\nb = 2",
		  "line 2, column 1: 'b' is not a value (a string needs "
		  "quotes)" },
		{ "a = [1 # ]",
		  "line 1, column 11: expected ',' or ']' in an array" },
		{ "a = {", "line 1, column 6: expected a key (letters, digits, "
			   "_ and -, or a string)" },
		{ "a = {,}", "line 1, column 6: expected a key (letters, "
			     "digits, _ and -, or a string)" },
		{ "a = { b = 1, }", "line 1, column 14: expected a key "
				    "(letters, digits, _ and -, or a string)" },
		{ "a = { b = 1 c = 2 }",
		  "line 1, column 13: expected ',' or '}' in an inline table" },
		{ "a = { b = 1\n}",
		  "line 1, column 12: expected ',' or '}' in an inline table" },
		{ "a = {\n}", "line 1, column 6: expected a key (letters, "
			      "digits, _ and -, or a string)" },
		{ "a = { b = 1,\nc = 2 }",
		  "line 1, column 13: expected a key (letters, digits, _ and "
		  "-, or a string)" },
		{ "a = { # c\n}", "line 1, column 7: expected a key (letters, "
				  "digits, _ and -, or a string)" },
		{ "a = { b }", "line 1, column 9: expected '=' after a key" },
		{ "a = {}}", "line 1, column 7: expected the end of the line" },
		{ "a = { b = 1, b = 2 }",
		  "line 1, column 14: 'b' is already defined on line 1" },
		{ "a = { b = 1, b.c = 2 }",
		  "line 1, column 14: 'b' is already defined on line 1" },
		{ "a = { b = {c = 1}, b.d = 2 }",
		  "line 1, column 20: 'b' is already defined on line 1" },
		{ "a = { b.c = 1, b = 2 }",
		  "line 1, column 16: 'b' is already defined on line 1" },
	};

	check(*state, cases, COUNT(cases));
}

static void headers(void **state)
{
	static const struct invalid cases[] = {
		{ "[", "line 1, column 2: expected a key (letters, digits, _ "
		       "and -, or a string)" },
		{ "[]", "line 1, column 2: expected a key (letters, digits, _ "
			"and -, or a string)" },
		{ "[a", "line 1, column 3: expected ']' after a key" },
		{ "[a.]", "line 1, column 4: expected a key (letters, digits, "
			  "_ and -, or a string)" },
		{ "[a..b]", "line 1, column 4: expected a key (letters, "
			    "digits, _ and -, or a string)" },
		{ "[a]]", "line 1, column 4: expected the end of the line" },
		{ "[a] b = 1",
		  "line 1, column 5: expected the end of the line" },
		{ "[a][b]", "line 1, column 4: expected the end of the line" },
		{ "[a b]", "line 1, column 4: expected ']' after a key" },
		{ "[a\n]", "line 1, column 3: expected ']' after a key" },
		{ "[a]\n[b", "line 2, column 3: expected ']' after a key" },
		{ "[[a]", "line 1, column 4: expected ']]' after a key" },
		{ "[[a] ]", "line 1, column 4: expected ']]' after a key" },
		{ "[ [a]]", "line 1, column 3: expected a key (letters, "
			    "digits, _ and -, or a string)" },
		{ "[[]]", "line 1, column 3: expected a key (letters, digits, "
			  "_ and -, or a string)" },
		{ "[a#b]", "line 1, column 3: expected ']' after a key" },
		{ "[\"\"\"a\"\"\"]",
		  "line 1, column 4: expected ']' after a key" },
	};

	check(*state, cases, COUNT(cases));
}

#define TWICE(line, column, key, first)             \
	"line " #line ", column " #column ": '" key \
	"' is already defined on line " #first

static void nothing_is_defined_twice(void **state)
{
	static const struct invalid cases[] = {
		{ "a = 1\na = 2", TWICE(2, 1, "a", 1) },
		{ "a = 1\n\"a\" = 2", TWICE(2, 1, "a", 1) },
		{ "\"\\u001b[\" = 1\n\"\\u001b[\" = 2", TWICE(2, 1, "?[", 1) },
		{ "a = 1\na.b = 2", TWICE(2, 1, "a", 1) },
		{ "a.b = 1\na = 2", TWICE(2, 1, "a", 1) },
		{ "a.b = 1\na.b.c = 2", TWICE(2, 3, "b", 1) },
		{ "a.b.c = 1\na.b = 2", TWICE(2, 3, "b", 1) },
		{ "a = {}\na.b = 1", TWICE(2, 1, "a", 1) },
		{ "a = {b.c = 1}\na.b.d = 1", TWICE(2, 1, "a", 1) },
		{ "a = [{}]\na.b = 1", TWICE(2, 1, "a", 1) },
		{ "[a]\n[b]\n[a]", TWICE(3, 2, "a", 1) },
		{ "[a]\nb = 1\n[a.b]", TWICE(3, 4, "b", 2) },
		{ "[a]\nb = 1\n[a.b.c]", TWICE(3, 4, "b", 2) },
		{ "[a.b]\n[a]\nb = 1", TWICE(3, 1, "b", 1) },
		{ "[a.b]\n[a]\n[a]", TWICE(3, 2, "a", 2) },
		{ "a = 1\n[a]", TWICE(2, 2, "a", 1) },
		{ "a = {}\n[a]", TWICE(2, 2, "a", 1) },
		{ "a = {b = {}}\n[a.b]", TWICE(2, 2, "a", 1) },
		{ "a = {}\n[a.b]", TWICE(2, 2, "a", 1) },
		/* A dotted key has defined the tables it names. */
		{ "[a]\nb.c = 1\n[a.b]", TWICE(3, 4, "b", 2) },
		{ "[a]\nb.c.d = 1\n[a.b.c]", TWICE(3, 6, "c", 2) },
		{ "a.b = 1\n[a]", TWICE(2, 2, "a", 1) },
		/* And it may not add to those of a header. */
		{ "[a.b]\n[a]\nb.c = 1", TWICE(3, 1, "b", 1) },
		{ "[a.b.c]\nz = 9\n[a]\nb.c.t = 'x'", TWICE(4, 3, "c", 1) },
		{ "[a.b.c.d]\n[a]\nb.c.d.k.t = 8", TWICE(3, 5, "d", 1) },
		{ "[a.b.c]\n[a]\nb.d = 1\n[a.b]", TWICE(4, 4, "b", 1) },
		/* Arrays of tables and what else a name may be. */
		{ "a = []\n[[a]]", TWICE(2, 3, "a", 1) },
		{ "a = [{}]\n[[a]]", TWICE(2, 3, "a", 1) },
		{ "a = [{b = {}}]\n[a.b]", TWICE(2, 2, "a", 1) },
		{ "[[a]]\n[a]", TWICE(2, 2, "a", 1) },
		{ "[a]\n[[a]]", TWICE(2, 3, "a", 1) },
		{ "[a.b]\n[[a]]", TWICE(2, 3, "a", 1) },
		{ "[[a]]\n[a.b]\n[[a.b]]", TWICE(3, 5, "b", 2) },
		{ "[[a]]\n[[a.b]]\n[a.b]", TWICE(3, 4, "b", 2) },
		{ "[[a]]\n[a.b]\n[a.b]", TWICE(3, 4, "b", 2) },
		{ "[[a.b]]\n[a]\nb.c = 1", TWICE(3, 1, "b", 1) },
		{ "[[a.b]]\n[a]\nb = 1", TWICE(3, 1, "b", 1) },
		{ "[a]\nb.c = 1\n[[a.b]]", TWICE(3, 5, "b", 2) },
	};

	check(*state, cases, COUNT(cases));
}

static const char *repeat(struct arena *arena, const char *head,
			  const char *body, size_t n)
{
	size_t start = strlen(head), step = strlen(body);
	char *text = arena_alloc(arena, start + n * step + 1);

	memcpy(text, head, start);
	for (size_t i = 0; i < n; i++)
		memcpy(text + start + i * step, body, step);
	return text;
}

static void depth_has_an_end(void **state)
{
	static const struct invalid deep[] = {
		{ "a = ", "[" },
		{ "a = ", "{a=" },
		{ "a", ".a" },
		{ "[a", ".a" },
	};
	const struct toml_value *v;

	for (size_t i = 0; i < COUNT(deep); i++) {
		const char *text =
			repeat(*state, deep[i].text, deep[i].error, 100000);

		text = arena_printf(*state, "%s%s", text,
				    text[0] == '[' ? "]" : "=1");
		assert_true(toml_parse(*state, text, strlen(text), &v) < 0);
		if (!strstr(err_text(), ": arrays and tables are nested deeper "
					"than 64 levels"))
			fail_msg("%s", err_text());
	}
}

static void a_full_arena_is_an_error(void **state)
{
	const char *text = repeat(*state, "a = [1", ", 'x', {y.z = 2}", 100);
	const struct toml_value *v = NULL;

	text = arena_printf(*state, "%s]\n[b]\n[[c]]\n", text);
	for (size_t size = 64; !v; size += 64) {
		struct arena small;

		assert_int_equal(arena_open(&small, size), 0);
		if (toml_parse(&small, text, strlen(text), &v) < 0)
			assert_null(v);
		arena_close(&small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(bytes),
		arena_test(lines_and_keys),
		arena_test(strings),
		arena_test(words_that_are_no_values),
		arena_test(numbers),
		arena_test(dates_and_times),
		arena_test(arrays_and_inline_tables),
		arena_test(headers),
		arena_test(nothing_is_defined_twice),
		arena_test(depth_has_an_end),
		arena_test(a_full_arena_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
