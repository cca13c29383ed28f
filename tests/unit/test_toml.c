/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_toml.c - what TOML 1.0 allows, and the tree it becomes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/toml.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/toml_dump.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

struct valid {
	const char *text;
	const char *dump;
};

/* In memory of exactly its size, so that reading beyond it shows. */
static const struct toml_value *parse(struct arena *arena, const char *text)
{
	size_t len = strlen(text);
	autofree char *exact = malloc(len ? len : 1);
	const struct toml_value *v = NULL;

	assert_non_null(exact);
	memcpy(exact, text, len);
	if (toml_parse(arena, exact, len, &v) < 0)
		fail_msg("%s\n%s", text, err_text());
	return v;
}

static void check(struct arena *arena, const struct valid *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		autofree char *dump = NULL;
		size_t size;
		FILE *out = open_memstream(&dump, &size);

		assert_non_null(out);
		dump_value(out, parse(arena, cases[i].text));
		fclose(out);
		if (!streq(dump, cases[i].dump))
			fail_msg("%s\nis   %s\nnot  %s", cases[i].text, dump,
				 cases[i].dump);
	}
}

static void lines_and_comments(void **state)
{
	static const struct valid cases[] = {
		{ "", "{}" },
		{ "\n \t\n", "{}" },
		{ "# only \t this é", "{}" },
		{ "a=1", "{\"a\":1}" },
		{ "a = 1 # one\n# two\nb = 2\n", "{\"a\":1,\"b\":2}" },
		{ "\ta\t=\t1\t#\t\n", "{\"a\":1}" },
		{ "a = 1\r\n\r\n# c\r\nb = 2\r\n", "{\"a\":1,\"b\":2}" },
		{ "a = '#'", "{\"a\":\"#\"}" },
		{ "[a] # c\n#\n[b]#\n", "{\"a\":{},\"b\":{}}" },
	};

	check(*state, cases, COUNT(cases));
}

static void keys(void **state)
{
	static const struct valid cases[] = {
		{ "bare_key-1 = 1", "{\"bare_key-1\":1}" },
		{ "1234 = 1", "{\"1234\":1}" },
		{ "- = 1\n_ = 2", "{\"-\":1,\"_\":2}" },
		{ "true = 1\ninf = 2", "{\"true\":1,\"inf\":2}" },
		{ "\"127.0.0.1\" = 1", "{\"127.0.0.1\":1}" },
		{ "\"ʎǝʞ\" = 1", "{\"ʎǝʞ\":1}" },
		{ "'quoted \"x\"' = 1", "{\"quoted \\\"x\\\"\":1}" },
		{ "\"\\u0061\\t\" = 1", "{\"a\\x09\":1}" },
		{ "\"\" = 1", "{\"\":1}" },
		{ "'' = 1", "{\"\":1}" },
		{ "''.'' = 1", "{\"\":{\"\":1}}" },
		{ "a.b = 1", "{\"a\":{\"b\":1}}" },
		{ "a . 'b c' .\t\"d\" = 1", "{\"a\":{\"b c\":{\"d\":1}}}" },
		{ "3.14159 = 'pi'", "{\"3\":{\"14159\":\"pi\"}}" },
		{ "a.b = 1\nc = 2\na.d = 3",
		  "{\"a\":{\"b\":1,\"d\":3},\"c\":2}" },
		{ "a.b.c = 1\na.d = 2", "{\"a\":{\"b\":{\"c\":1},\"d\":2}}" },
		{ "A = 1\na = 2", "{\"A\":1,\"a\":2}" },
	};

	check(*state, cases, COUNT(cases));
}

static void one_line_strings(void **state)
{
	static const struct valid cases[] = {
		{ "a = \"\"", "{\"a\":\"\"}" },
		{ "a = ''", "{\"a\":\"\"}" },
		{ "a = \"I'm \\\"quoted\\\".\"",
		  "{\"a\":\"I'm \\\"quoted\\\".\"}" },
		{ "a = \"\\b\\t\\n\\f\\r\\\"\\\\\"",
		  "{\"a\":\"\\x08\\x09\\x0a\\x0c\\x0d\\\"\\\\\"}" },
		{ "a = \"\\u00e9\\u00E9\\U0001F433\\uFFFF\"",
		  "{\"a\":\"éé\xf0\x9f\x90\xb3\xef\xbf\xbf\"}" },
		{ "a = \"\\u007f\\ud7ff\\ue000\\U0010ffff\"",
		  "{\"a\":\"\\x7f\xed\x9f\xbf\xee\x80\x80"
		  "\xf4\x8f\xbf\xbf\"}" },
		{ "a = \"tab\there\"", "{\"a\":\"tab\\x09here\"}" },
		{ "a = \"\\\\\"", "{\"a\":\"\\\\\"}" },
		{ "a = \"# = [ ]\"", "{\"a\":\"# = [ ]\"}" },
		{ "a = 'C:\\Users\\u0041'",
		  "{\"a\":\"C:\\\\Users\\\\u0041\"}" },
		{ "a = '<\\i\\c*\\s*>'", "{\"a\":\"<\\\\i\\\\c*\\\\s*>\"}" },
		{ "a = 'end\\'", "{\"a\":\"end\\\\\"}" },
		{ "a = 'tab\there \"'", "{\"a\":\"tab\\x09here \\\"\"}" },
	};

	check(*state, cases, COUNT(cases));
}

static void many_line_strings(void **state)
{
	static const struct valid cases[] = {
		{ "a = \"\"\"\"\"\"", "{\"a\":\"\"}" },
		{ "a = \"\"\"\n\"\"\"", "{\"a\":\"\"}" },
		{ "a = \"\"\"\n\n\"\"\"", "{\"a\":\"\\x0a\"}" },
		{ "a = \"\"\"one\ntwo\"\"\"", "{\"a\":\"one\\x0atwo\"}" },
		{ "a = \"\"\"\r\none\r\ntwo\"\"\"", "{\"a\":\"one\\x0atwo\"}" },
		{ "a = \"\"\"one \\\n\n   \ttwo\\\n\"\"\"",
		  "{\"a\":\"one two\"}" },
		{ "a = \"\"\"one\\  \t\n two\"\"\"", "{\"a\":\"onetwo\"}" },
		{ "a = \"\"\"one\\\r\n  \r\n two\"\"\"", "{\"a\":\"onetwo\"}" },
		{ "a = \"\"\"\\\n   \"\"\"", "{\"a\":\"\"}" },
		{ "a = \"\"\"x\\\\\ny\"\"\"", "{\"a\":\"x\\\\\\x0ay\"}" },
		{ "a = \"\"\"say \"\" and \" \"\"\"",
		  "{\"a\":\"say \\\"\\\" and \\\" \"}" },
		{ "a = \"\"\"one\"\"\"\"", "{\"a\":\"one\\\"\"}" },
		{ "a = \"\"\"two\"\"\"\"\"", "{\"a\":\"two\\\"\\\"\"}" },
		{ "a = \"\"\"\"one\"\"\"", "{\"a\":\"\\\"one\"}" },
		{ "a = \"\"\"\"\"\"\"", "{\"a\":\"\\\"\"}" },
		{ "a = \"\"\"\\\"\"\"\"", "{\"a\":\"\\\"\"}" },
		{ "a = \"\"\"three \"\"\\\"\"\"\"",
		  "{\"a\":\"three \\\"\\\"\\\"\"}" },
		{ "a = ''''''", "{\"a\":\"\"}" },
		{ "a = '''\none\\\n two'''", "{\"a\":\"one\\\\\\x0a two\"}" },
		{ "a = '''it''s 'x'''''", "{\"a\":\"it''s 'x''\"}" },
		{ "a = ''''x''''", "{\"a\":\"'x'\"}" },
		{ "a = '''\"\"\"'''", "{\"a\":\"\\\"\\\"\\\"\"}" },
	};

	check(*state, cases, COUNT(cases));
}

static void integers(void **state)
{
	static const struct valid cases[] = {
		{ "a = [+99, 42, 0, -17, +0, -0]",
		  "{\"a\":[99,42,0,-17,0,0]}" },
		{ "a = [1_000, 5_349_221, 1_2_3]",
		  "{\"a\":[1000,5349221,123]}" },
		{ "a = [0xDEADBEEF, 0xdead_beef, 0x00ff]",
		  "{\"a\":[3735928559,3735928559,255]}" },
		{ "a = [0o01234567, 0o7_5_5]", "{\"a\":[342391,493]}" },
		{ "a = [0b11010110, 0b0_1]", "{\"a\":[214,1]}" },
		{ "a = 9223372036854775807", "{\"a\":9223372036854775807}" },
		{ "a = -9223372036854775808", "{\"a\":-9223372036854775808}" },
		{ "a = 0x7fff_ffff_ffff_ffff", "{\"a\":9223372036854775807}" },
		{ "a = 0o777777777777777777777",
		  "{\"a\":9223372036854775807}" },
	};

	check(*state, cases, COUNT(cases));
}

static void floats_and_truths(void **state)
{
	static const struct valid cases[] = {
		{ "a = [+1.0, 3.1415, -0.01, 0.0]",
		  "{\"a\":[f1,f3.1415000000000002,"
		  "f-0.01,f0]}" },
		{ "a = [5e+20, 1e06, -2E-2, 0e0]",
		  "{\"a\":[f5e+20,f1000000,f-0.02,f0]}" },
		{ "a = 6.626e-34", "{\"a\":f6.6259999999999998e-34}" },
		{ "a = [224_617.445_991, 1_0e1_0]",
		  "{\"a\":[f224617.44599099999,f100000000000]}" },
		{ "a = [inf, +inf, -inf]", "{\"a\":[finf,finf,f-inf]}" },
		{ "a = [nan, +nan, -nan]", "{\"a\":[nan,nan,nan]}" },
		{ "a = [-0.0, 1e400]", "{\"a\":[f-0,finf]}" },
		{ "a = [true, false]", "{\"a\":[true,false]}" },
	};

	check(*state, cases, COUNT(cases));
}

static void dates_and_times(void **state)
{
	static const struct valid cases[] = {
		{ "a = 1979-05-27T07:32:00Z",
		  "{\"a\":1979-05-27T07:32:00+00:00}" },
		{ "a = 1979-05-27t07:32:00z",
		  "{\"a\":1979-05-27T07:32:00+00:00}" },
		{ "a = 1979-05-27T00:32:00.999999-07:00",
		  "{\"a\":1979-05-27T00:32:00.999999000-07:00}" },
		{ "a = 1979-05-27 07:32:00+23:59 # c",
		  "{\"a\":1979-05-27T07:32:00+23:59}" },
		{ "a = 1979-05-27T07:32:00-00:30",
		  "{\"a\":1979-05-27T07:32:00-00:30}" },
		{ "a = 2016-12-31T23:59:60Z",
		  "{\"a\":2016-12-31T23:59:60+00:00}" },
		{ "a = 1979-05-27T07:32:00", "{\"a\":1979-05-27T07:32:00}" },
		{ "a = 1979-05-27 07:32:00.5",
		  "{\"a\":1979-05-27T07:32:00.500000000}" },
		{ "a = 1979-05-27", "{\"a\":1979-05-27}" },
		{ "a = 1979-05-27 # c", "{\"a\":1979-05-27}" },
		{ "a = [1979-05-27 , 07:32:00 ]",
		  "{\"a\":[1979-05-27,07:32:00]}" },
		{ "a = [2024-02-29, 2000-02-29, 0000-02-29, 9999-12-31]",
		  "{\"a\":[2024-02-29,2000-02-29,0000-02-29,9999-12-31]}" },
		{ "a = [00:00:00, 23:59:59, 00:32:00.123456789987]",
		  "{\"a\":[00:00:00,23:59:59,00:32:00.123456789]}" },
	};

	check(*state, cases, COUNT(cases));
}

static void arrays(void **state)
{
	static const struct valid cases[] = {
		{ "a = []", "{\"a\":[]}" },
		{ "a = [ ]", "{\"a\":[]}" },
		{ "a = [\n]", "{\"a\":[]}" },
		{ "a = [ # nothing\n# at all\n]", "{\"a\":[]}" },
		{ "a = [1,2]", "{\"a\":[1,2]}" },
		{ "a = [1,2,]", "{\"a\":[1,2]}" },
		{ "a = [\n 1 # one\n ,\n 2, # two\n # end\n]",
		  "{\"a\":[1,2]}" },
		{ "a = [[1, 2], ['x', 1.5], []]",
		  "{\"a\":[[1,2],[\"x\",f1.5],[]]}" },
		{ "a = [1, 'x', {b = 1}, [true], 07:00:00]",
		  "{\"a\":[1,\"x\",{\"b\":1},[true],07:00:00]}" },
		{ "a = ['''x\ny''', \"]\"]", "{\"a\":[\"x\\x0ay\",\"]\"]}" },
	};

	check(*state, cases, COUNT(cases));
}

static void inline_tables(void **state)
{
	static const struct valid cases[] = {
		{ "a = {}", "{\"a\":{}}" },
		{ "a = { }", "{\"a\":{}}" },
		{ "a = { b = 1, c = 'x' }", "{\"a\":{\"b\":1,\"c\":\"x\"}}" },
		{ "a = {b.c=1,b.d=2}", "{\"a\":{\"b\":{\"c\":1,\"d\":2}}}" },
		{ "a = { b = { c = {} } }", "{\"a\":{\"b\":{\"c\":{}}}}" },
		{ "a = { b = [\n1,\n2 # two\n] }", "{\"a\":{\"b\":[1,2]}}" },
		{ "a = { b = '''\nx\n''' }", "{\"a\":{\"b\":\"x\\x0a\"}}" },
		{ "a = [{b = 1}, {b = 2}]", "{\"a\":[{\"b\":1},{\"b\":2}]}" },
		{ "a.b = { c = 1 }\na.d = 2",
		  "{\"a\":{\"b\":{\"c\":1},\"d\":2}}" },
	};

	check(*state, cases, COUNT(cases));
}

static void tables(void **state)
{
	static const struct valid cases[] = {
		{ "[a]", "{\"a\":{}}" },
		{ " [ a . 'b c' ] \nd = 1", "{\"a\":{\"b c\":{\"d\":1}}}" },
		{ "r = 0\n[a]\nx = 1\n[b]\nx = 2",
		  "{\"r\":0,\"a\":{\"x\":1},\"b\":{\"x\":2}}" },
		{ "[x.y.z.w]\n[x]\na = 1",
		  "{\"x\":{\"y\":{\"z\":{\"w\":{}}},\"a\":1}}" },
		{ "[a.b]\n[c]\n[a.d]", "{\"a\":{\"b\":{},\"d\":{}},\"c\":{}}" },
		{ "[a]\n[a.b]\n[a.b.c]", "{\"a\":{\"b\":{\"c\":{}}}}" },
		{ "[a.b.c]\n[a.b]\n[a]", "{\"a\":{\"b\":{\"c\":{}}}}" },
		{ "['a']\n[\"\"]", "{\"a\":{},\"\":{}}" },
		{ "[a]\nb.c = 1\nb.d.e = 2\n[a.b.f]\ng = 3",
		  "{\"a\":{\"b\":{\"c\":1,\"d\":{\"e\":2},"
		  "\"f\":{\"g\":3}}}}" },
		{ "a.b = 1\n[a.c]\nd = 2",
		  "{\"a\":{\"b\":1,\"c\":{\"d\":2}}}" },
		{ "[a.b.c]\n[a]\nb.d = 1",
		  "{\"a\":{\"b\":{\"c\":{},\"d\":1}}}" },
		{ "[a]\na.a = 1", "{\"a\":{\"a\":{\"a\":1}}}" },
	};

	check(*state, cases, COUNT(cases));
}

static void arrays_of_tables(void **state)
{
	static const struct valid cases[] = {
		{ "[[a]]", "{\"a\":[{}]}" },
		{ "[[ a ]]\nx = 1\n[[a]] # none\n[[a]]\nx = 3",
		  "{\"a\":[{\"x\":1},{},{\"x\":3}]}" },
		{ "[[a]]\n[a.b]\nc = 1\n[[a.d]]\n[[a.d]]\n[[a]]\n[a.b]",
		  "{\"a\":[{\"b\":{\"c\":1},\"d\":[{},{}]},{\"b\":{}}]}" },
		{ "[[a.b]]\n[a]\nc = 1", "{\"a\":{\"b\":[{}],\"c\":1}}" },
		{ "[a]\nb.c = 1\n[[a.b.d]]\n[[a.b.d]]",
		  "{\"a\":{\"b\":{\"c\":1,\"d\":[{},{}]}}}" },
		{ "[[a.b.c]]\n[[a.b.c]]\n[[a.b.c.d]]",
		  "{\"a\":{\"b\":{\"c\":[{},{\"d\":[{}]}]}}}" },
		{ "[[a]]\nb.c = 1\n[[a]]\nb.c = 2",
		  "{\"a\":[{\"b\":{\"c\":1}},{\"b\":{\"c\":2}}]}" },
	};

	check(*state, cases, COUNT(cases));
}

static void values_know_their_lines(void **state)
{
	const struct toml_value *v =
		parse(*state,
		      "a = 1\n\nb = [\n2,\n'''\n\n''', 3]\n[t.u]\nc = {d = 4}");
	const struct toml_value *b = toml_find(v, "b");
	const struct toml_value *u = toml_find(toml_find(v, "t"), "u");

	assert_int_equal(v->line, 1);
	assert_int_equal(toml_find(v, "a")->line, 1);
	assert_int_equal(b->line, 3);
	assert_int_equal(b->n, 3);
	assert_int_equal(b->first->line, 4);
	assert_int_equal(b->first->next->line, 5);
	assert_int_equal(b->first->next->next->line, 7);
	assert_int_equal(u->line, 8);
	assert_int_equal(toml_find(toml_find(u, "c"), "d")->line, 9);
	assert_null(toml_find(v, "d"));
}

static void signs_of_floats_are_kept(void **state)
{
	const struct toml_value *v = parse(*state, "a = -0.0\nb = -nan");

	assert_true(signbit(toml_find(v, "a")->real));
	assert_true(isnan(toml_find(v, "b")->real));
}

/* The time for n members must not grow with its square. */
static void many_members_are_fast(void **state)
{
	enum { MEMBERS = 200000 };
	autofree char *text = malloc(MEMBERS * 16);
	const struct toml_value *v = NULL;
	char *p = text;

	assert_non_null(text);
	for (int i = 0; i < MEMBERS; i++)
		p += sprintf(p, "k%d = %d\n", i, i);
	assert_int_equal(toml_parse(*state, text, (size_t)(p - text), &v), 0);
	assert_int_equal(v->n, MEMBERS);
	assert_int_equal(toml_find(v, "k777")->integer, 777);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(lines_and_comments),
		arena_test(keys),
		arena_test(one_line_strings),
		arena_test(many_line_strings),
		arena_test(integers),
		arena_test(floats_and_truths),
		arena_test(dates_and_times),
		arena_test(arrays),
		arena_test(inline_tables),
		arena_test(tables),
		arena_test(arrays_of_tables),
		arena_test(values_know_their_lines),
		arena_test(signs_of_floats_are_kept),
		arena_test(many_members_are_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
