/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_json.c - texts that are JSON, almost JSON, and hostile. */
#include <errno.h>
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
#include "oci/json.h"
#include "oci/oci.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

/* In memory of exactly its size, so that reading beyond it shows. */
static int parse_len(struct arena *arena, const char *text, size_t len,
		     const struct json_value **ret)
{
	autofree char *exact = malloc(len ? len : 1);

	assert_non_null(exact);
	memcpy(exact, text, len);
	return json_parse(arena, exact, len, ret);
}

static const struct json_value *parse(struct arena *arena, const char *text)
{
	const struct json_value *v = NULL;

	if (parse_len(arena, text, strlen(text), &v) < 0)
		fail_msg("%s: %s", text, err_text());
	return v;
}

static void a_tree_keeps_everything(void **state)
{
	const struct json_value *v =
		parse(*state,
		      " {\"a\": [1, -0, 1e309, \"x\\n\\u00e9\xf0\x9f\x90\xb3\"], "
		      "\"b\": {\"c\": true}, \"\": null} \n");
	const struct json_value *a = json_find(v, "a");

	assert_true(v->root);
	assert_int_equal(v->type, JSON_OBJECT);
	assert_int_equal(v->n, 3);
	assert_int_equal(a->type, JSON_ARRAY);
	assert_int_equal(a->n, 4);
	assert_string_equal(a->first->text, "1");
	assert_string_equal(a->first->next->text, "-0");
	assert_string_equal(a->first->next->next->text, "1e309");
	assert_string_equal(a->first->next->next->next->text,
			    "x\n\xc3\xa9\xf0\x9f\x90\xb3");
	assert_true(json_find(json_find(v, "b"), "c")->truth);
	assert_null(json_find(v, ""));
	assert_null(json_find(v, "z"));
}

static void exact_case_wins(void **state)
{
	const struct json_value *v =
		parse(*state,
		      "{\"PATH\": 1, \"path\": 2, \"Path\": 3, \"CPU\": 4}");

	assert_string_equal(json_find(v, "path")->text, "2");
	assert_string_equal(json_find(v, "paTH")->text, "3");
	assert_string_equal(json_find(v, "cpu")->text, "4");
}

static const struct {
	const char *text;
	const char *error;
} bad[] = {
	{ "", "is empty, but must contain JSON" },
	{ " \n\t", "is empty, but must contain JSON" },
	{ "\xef\xbb\xbf{}",
	  "begins with a byte order mark, which JSON does not allow: remove "
	  "it" },
	{ "\xff\xfe{", "is UTF-16, but JSON must be UTF-8" },
	{ "\xfe\xff{", "is UTF-16, but JSON must be UTF-8" },
	{ "{\n \"a\": tru }", "line 2, column 10: lexical error" },
	{ "{", "line 1, column 2: parse error: premature EOF" },
	{ "[1,2", "line 1, column 5: parse error: premature EOF" },
	{ "{} x", "trailing garbage" },
	{ "{} {}", "trailing garbage" },
	{ "{} \"x", "line 1, column 4: this string has no closing quote" },
	{ "{\"a", "line 1, column 2: this string has no closing quote" },
	{ "{} \"x\"", "trailing garbage" },
	{ "{} tru", "trailing garbage" },
	{ "{} 1", "trailing garbage" },
	{ "{} -", "trailing garbage" },
	{ "{\"a\": 01}", "line 1, column 8" },
	{ "{\"a\": 1,}", "line 1, column 10" },
	{ "{\"a\": nan}", "line 1, column 8" },
	{ "{\"a\": .5}", "line 1, column 8" },
	{ "{'a': 1}", "line 1, column" },
	{ "/* a */ {}", "line 1, column 1" },
	{ "{\"a\": \"\xff\"}",
	  "line 1, column 8: this character is not UTF-8" },
	{ "{\"a\": \"\xc3", "line 1, column 8: this character is not UTF-8" },
	{ "{\"a\": \"\xc3\"}",
	  "line 1, column 8: this character is not UTF-8" },
	{ "{\"a\": \"\xc0\x80\"}",
	  "line 1, column 8: this character is not UTF-8" },
	{ "{\"a\": \"\xe0\x9f\xbf\"}",
	  "line 1, column 8: this character is not UTF-8" },
	{ "{\"a\": \"\xed\xa0\x80\"}",
	  "line 1, column 8: this character is not UTF-8" },
	{ "{\"a\": \"\xf4\x90\x80\x80\"}",
	  "line 1, column 8: this character is not UTF-8" },
	{ "{\"a\": \"x\ny\"}", "line 1, column" },
	{ "{\"a\": 1, \"a\": 2}", "a: given twice in one object" },
	{ "{\"a\": 1, \"b\": 2, \"\\u0061\": 2}",
	  "a: given twice in one object" },
	{ "{\"a\": {\"b\": [{}, {\"c\": 1, \"d\": 1, \"c\": 2}]}}",
	  "a.b[1].c: given twice in one object" },
	{ "\"\\u0000\"", "must not contain a NUL character" },
	{ "{\"a\": [1, \"x\\u0000y\"]}",
	  "a[1]: must not contain a NUL character" },
	{ "{\"a\": {\"b\": \"\\u0000\"}}",
	  "a.b: must not contain a NUL character" },
	{ "{\"a\": {\"b\\u0000\": 1}}", "a: a key contains a NUL character" },
};

static void bad_texts_say_why(void **state)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		const struct json_value *v = NULL;

		err_clear();
		assert_true(parse_len(*state, bad[i].text, strlen(bad[i].text),
				      &v) < 0);
		if (!strstr(err_text(), bad[i].error))
			fail_msg("%s: got '%s', not '%s'", bad[i].text,
				 err_text(), bad[i].error);
		assert_null(v);
	}
}

static void wide_characters_are_refused(void **state)
{
	const struct json_value *v;

	assert_true(parse_len(*state, "{\0}\0", 4, &v) < 0);
	assert_string_equal(err_text(), "is UTF-16, but JSON must be UTF-8");
	assert_true(parse_len(*state, "\0{\0}", 4, &v) < 0);
	assert_string_equal(err_text(), "is UTF-16, but JSON must be UTF-8");
	assert_true(parse_len(*state, "{\"a\0\": 1}", 9, &v) < 0);
}

static void depth_is_limited(void **state)
{
	static char deep[100001];
	const struct json_value *v;

	memset(deep, '[', JSON_MAX_DEPTH);
	memset(deep + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	assert_int_equal(parse_len(*state, deep, (size_t)2 * JSON_MAX_DEPTH,
				   &v),
			 0);
	memset(deep, '[', sizeof deep);
	assert_true(parse_len(*state, deep, sizeof deep, &v) < 0);
	assert_string_equal(
		err_text(),
		"arrays and objects are nested deeper than 64 levels, the "
		"maximum");
}

static void entries_are_limited(void **state)
{
	static const char begin[] = "{\"a\":[0";
	size_t len = sizeof begin - 1 + 2 * (size_t)(JSON_MAX_ENTRIES - 1);
	autofree char *text = malloc(len + 5);
	const struct json_value *v;

	assert_non_null(text);
	memcpy(text, begin, sizeof begin);
	for (size_t i = sizeof begin - 1; i < len; i += 2)
		memcpy(text + i, ",0", 2);
	memcpy(text + len, "]}", 2);
	assert_int_equal(parse_len(*state, text, len + 2, &v), 0);
	memcpy(text + len, ",0]}", 4);
	assert_true(parse_len(*state, text, len + 4, &v) < 0);
	assert_string_equal(err_text(), "a: has more than 131072 entries");
}

static void strings_are_limited(void **state)
{
	size_t len = (size_t)JSON_MAX_STRING + 10;
	autofree char *text = malloc(len);
	const struct json_value *v;

	assert_non_null(text);
	memset(text, 'x', len);
	text[0] = text[JSON_MAX_STRING] = '"';
	assert_int_equal(parse_len(*state, text, (size_t)JSON_MAX_STRING + 1,
				   &v),
			 0);
	text[JSON_MAX_STRING] = 'x';
	text[len - 1] = '"';
	assert_true(parse_len(*state, text, len, &v) < 0);
	assert_string_equal(err_text(),
			    "line 1, column 1: this string is longer than 1 "
			    "MiB, the maximum");
}

/* Eight million values, a thousand in each array, need more than there is. */
static void memory_is_limited(void **state)
{
	static const char *const last[] = { "0]", ",[" };
	size_t len = (size_t)16 << 20;
	autofree char *text = malloc(len);
	const struct json_value *v;

	assert_non_null(text);
	memcpy(text, "[[", 2);
	for (size_t i = 1; i < len / 2; i++)
		memcpy(text + 2 * i,
		       i % 1000 < 998 ? "0," : last[i % 1000 - 998], 2);
	assert_int_equal(json_parse(*state, text, len, &v), -ENOMEM);
	assert_non_null(strstr(
		err_text(),
		"the input is too large: it needs more than 48 MiB of memory"));
}

static void many_keys_are_compared_quickly(void **state)
{
	size_t n = 100000, len = 0;
	autofree char *text = malloc(n * 16);
	const struct json_value *v;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		len += (size_t)sprintf(text + len, "%c\"k%zu\":0",
				       i ? ',' : '{', i);
	text[len++] = '}';
	assert_int_equal(json_parse(*state, text, len, &v), 0);
	assert_int_equal(v->n, n);
}

struct sample {
	struct oci_i64 i64;
	struct oci_u64 u64;
	int32_t i32;
	uint32_t u32;
	uint32_t id;
	const char *word;
	bool truth;
};

static const struct json_field sample_fields[] = {
	JSON_FIELD("i64", json_optional_i64, struct sample, i64),
	JSON_FIELD("u64", json_optional_u64, struct sample, u64),
	JSON_FIELD("i32", json_i32, struct sample, i32),
	JSON_FIELD("u32", json_u32, struct sample, u32),
	JSON_FIELD("id", json_id, struct sample, id),
	JSON_FIELD("word", json_word, struct sample, word),
	JSON_REQUIRED("truth", json_bool, struct sample, truth),
};

static void numbers_are_exact(void **state)
{
	struct sample s = { 0 };
	const struct json_value *v =
		parse(*state,
		      "{\"i64\": -9223372036854775808, \"u64\": "
		      "18446744073709551615, \"i32\": -2147483648, \"u32\": "
		      "4294967295, \"id\": 4294967294, \"word\": null, \"truth\": "
		      "true, \"unknown\": {\"x\": []}}");

	assert_int_equal(json_object(*state, v, sample_fields,
				     COUNT(sample_fields), &s),
			 0);
	assert_true(s.i64.set && s.i64.value == INT64_MIN);
	assert_true(s.u64.set && s.u64.value == UINT64_MAX);
	assert_int_equal(s.i32, INT32_MIN);
	assert_int_equal(s.u32, UINT32_MAX);
	assert_int_equal(s.id, UINT32_MAX - 1);
	assert_null(s.word);
	assert_true(s.truth);
}

static const struct {
	const char *text;
	const char *error;
} bad_samples[] = {
	{ "[]", "must be an object, not an array" },
	{ "{}", "truth: required" },
	{ "{\"truth\": null}", "truth: required" },
	{ "{\"truth\": 1}", "truth: must be a boolean, not a number" },
	{ "{\"i64\": 9223372036854775808}",
	  "i64: 9223372036854775808 is not a 64-bit integer" },
	{ "{\"i64\": -9223372036854775809}",
	  "i64: -9223372036854775809 is not a 64-bit integer" },
	{ "{\"i64\": 1e309}", "i64: 1e309 is not a 64-bit integer" },
	{ "{\"i64\": 1e3}", "i64: 1e3 is not a 64-bit integer" },
	{ "{\"i64\": 0.5}", "i64: 0.5 is not a 64-bit integer" },
	{ "{\"i64\": 1.0}", "i64: 1.0 is not a 64-bit integer" },
	{ "{\"i64\": \"1\"}", "i64: must be a number, not a string" },
	{ "{\"u64\": -1}", "u64: -1 is not an unsigned 64-bit integer" },
	{ "{\"u64\": 18446744073709551616}",
	  "u64: 18446744073709551616 is not an unsigned 64-bit integer" },
	{ "{\"i32\": 2147483648}", "i32: 2147483648 is not a 32-bit integer" },
	{ "{\"u32\": 4294967296}",
	  "u32: 4294967296 is not an unsigned 32-bit integer" },
	{ "{\"id\": 4294967295}",
	  "id: 4294967295 is not an id (0 to 4294967294)" },
	{ "{\"word\": [\"x\"]}", "word: must be a string, not an array" },
};

static void bad_values_say_why(void **state)
{
	for (size_t i = 0; i < COUNT(bad_samples); i++) {
		const struct json_value *v = parse(*state, bad_samples[i].text);
		struct sample s = { 0 };

		assert_true(json_object(*state, v, sample_fields,
					COUNT(sample_fields), &s) < 0);
		assert_string_equal(err_text(), bad_samples[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(a_tree_keeps_everything),
		arena_test(exact_case_wins),
		arena_test(bad_texts_say_why),
		arena_test(wide_characters_are_refused),
		arena_test(depth_is_limited),
		arena_test(entries_are_limited),
		arena_test(strings_are_limited),
		arena_test(memory_is_limited),
		arena_test(many_keys_are_compared_quickly),
		arena_test(numbers_are_exact),
		arena_test(bad_values_say_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
