/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_write.c - the JSON writer, text by text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "oci/oci.h"
#include "oci/write.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static void put_sample(struct writer *w)
{
	const char *words[] = { "x", "y", NULL };

	put_object(w, NULL);
	put_string(w, "name", "web1");
	put_u64(w, "most", UINT64_MAX);
	put_i64(w, "least", INT64_MIN);
	put_bool(w, "yes", true);
	put_string(w, "none", NULL);
	put_object(w, "o");
	put_end(w);
	put_array(w, "a");
	put_end(w);
	put_strings(w, "words", &(struct strings){ words, 2 });
	put_annotations(w, "left out", &(struct oci_annotations){ 0 });
	put_array(w, "list");
	put_object(w, NULL);
	put_bool(w, "no", false);
	put_end(w);
	put_array(w, NULL);
	put_u64(w, NULL, 1);
	put_end(w);
	put_end(w);
	put_end(w);
}

static void each_style_is_exact(void **state)
{
	static const char compact[] =
		"{\"name\":\"web1\",\"most\":18446744073709551615,"
		"\"least\":-9223372036854775808,\"yes\":true,\"none\":null,"
		"\"o\":{},\"a\":[],\"words\":[\"x\",\"y\"],"
		"\"list\":[{\"no\":false},[1]]}";
	static const char pretty[] = "{\n"
				     "  \"name\": \"web1\",\n"
				     "  \"most\": 18446744073709551615,\n"
				     "  \"least\": -9223372036854775808,\n"
				     "  \"yes\": true,\n"
				     "  \"none\": null,\n"
				     "  \"o\": {},\n"
				     "  \"a\": [],\n"
				     "  \"words\": [\n"
				     "    \"x\",\n"
				     "    \"y\"\n"
				     "  ],\n"
				     "  \"list\": [\n"
				     "    {\n"
				     "      \"no\": false\n"
				     "    },\n"
				     "    [\n"
				     "      1\n"
				     "    ]\n"
				     "  ]\n"
				     "}\n";
	struct writer w;
	const char *text;
	size_t len;

	writer_open(&w, *state, WRITE_COMPACT);
	put_sample(&w);
	assert_int_equal(writer_close(&w, &text, &len), 0);
	assert_string_equal(text, compact);
	assert_int_equal(len, strlen(compact));

	writer_open(&w, *state, WRITE_PRETTY);
	put_sample(&w);
	assert_int_equal(writer_close(&w, &text, &len), 0);
	assert_string_equal(text, pretty);
	assert_int_equal(len, strlen(pretty));

	writer_open(&w, *state, WRITE_LINE);
	put_string(&w, NULL, NULL);
	assert_int_equal(writer_close(&w, &text, NULL), 0);
	assert_string_equal(text, "null\n");
}

static void strings_are_escaped(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "", "\"\"" },
		{ "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
		{ "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
		{ "\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\"" },
		{ "<&>", "\"<&>\"" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x8b",
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x8b\"" },
		/* A lone byte, a cut sequence, overlong, surrogate, too big. */
		{ "a\xff"
		  "b",
		  "\"a\xef\xbf\xbd"
		  "b\"" },
		{ "\xc3", "\"\xef\xbf\xbd\"" },
		{ "\xe2\x82\"", "\"\xef\xbf\xbd\xef\xbf\xbd\\\"\"" },
		{ "\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xf4\x90\x80\x80",
		  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	};
	struct writer w;
	const char *text;

	for (size_t i = 0; i < COUNT(cases); i++) {
		writer_open(&w, *state, WRITE_COMPACT);
		put_string(&w, NULL, cases[i].in);
		assert_int_equal(writer_close(&w, &text, NULL), 0);
		assert_string_equal(text, cases[i].out);
	}
}

static void keys_are_escaped_too(void **state)
{
	const struct oci_annotation items[] = { { "a\"\n", "1" }, { "b", "" } };
	struct writer w;
	const char *text;

	writer_open(&w, *state, WRITE_COMPACT);
	put_object(&w, NULL);
	put_annotations(&w, "annotations",
			&(struct oci_annotations){ items, 2 });
	put_end(&w);
	assert_int_equal(writer_close(&w, &text, NULL), 0);
	assert_string_equal(text, "{\"annotations\":"
				  "{\"a\\\"\\n\":\"1\",\"b\":\"\"}}");
}

static void a_full_arena_is_an_error_at_the_end(void **state)
{
	char big[40000];
	struct arena small;
	struct writer w;
	const char *text = NULL;

	(void)state;
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	assert_int_equal(arena_open(&small, 16384), 0);
	writer_open(&w, &small, WRITE_PRETTY);
	put_array(&w, NULL);
	put_string(&w, NULL, big);
	put_u64(&w, NULL, 1);
	put_end(&w);
	assert_int_equal(writer_close(&w, &text, NULL), -ENOMEM);
	assert_null(text);
	arena_close(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_style_is_exact),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(keys_are_escaped_too),
		cmocka_unit_test(a_full_arena_is_an_error_at_the_end),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
