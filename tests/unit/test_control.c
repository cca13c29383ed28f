/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_control.c - frames and messages of the control protocol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "control/frame.h"
#include "control/message.h"
#include "oci/json.h"

#include <cmocka.h>

static struct arena arena;

static int setup(void **state)
{
	(void)state;
	return arena_open(&arena, 4 << 20);
}

static int teardown(void **state)
{
	(void)state;
	arena_close(&arena);
	return 0;
}

/* ---- frames ---- */

static void test_a_frame_is_found_only_when_it_is_whole(void **state)
{
	static const char bytes[] = "\0\0\0\5hello\0\0\0\1x";
	size_t len = 99;

	(void)state;
	for (size_t n = 0; n < FRAME_HEADER + 5; n++) {
		assert_int_equal(frame_find(bytes, n, 5, &len), 0);
		assert_int_equal(len, 99);
	}
	for (size_t n = FRAME_HEADER + 5; n < sizeof bytes; n++) {
		assert_int_equal(frame_find(bytes, n, 5, &len), 1);
		assert_int_equal(len, 5);
	}
	assert_int_equal(frame_find(bytes + 9, 5, 5, &len), 1);
	assert_int_equal(len, 1);
}

static void test_a_frame_is_refused_by_its_header(void **state)
{
	size_t len;

	(void)state;
	assert_true(frame_find("\0\0\0\6", 4, 5, &len) < 0);
	assert_string_equal(err_text(), "the frame has 6 bytes, more than the "
					"maximum of 5");
	assert_true(frame_find("\xff\xff\xff\xff", 4, FRAME_MAX_ANSWER, &len) <
		    0);
	assert_true(frame_find("\0\0\0\0", 4, 5, &len) < 0);
	assert_string_equal(err_text(), "the frame is empty");
}

static void test_a_header_is_read_as_it_was_written(void **state)
{
	static const size_t sizes[] = { 1, 255, 256, 65536, FRAME_MAX_ANSWER };
	static unsigned char bytes[FRAME_HEADER + FRAME_MAX_ANSWER];

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		size_t len = 0;

		frame_header(sizes[i], bytes);
		assert_int_equal(frame_find(bytes, FRAME_HEADER + sizes[i],
					    FRAME_MAX_ANSWER, &len),
				 1);
		assert_int_equal(len, sizes[i]);
	}
}

/* ---- hello ---- */

struct refused {
	const char *text, *why;
	enum control_code code;
};

static void test_hello_must_name_our_version(void **state)
{
	static const struct refused cases[] = {
		{ "{\"version\":2}",
		  "version 2 of the control protocol is not supported: use "
		  "version 1",
		  CONTROL_MISMATCH },
		{ "{\"version\":\"1\"}", "version: must be", CONTROL_MISMATCH },
		{ "{\"id\":1,\"verb\":\"stats\"}",
		  "the first message must be {\"version\":1}",
		  CONTROL_MISMATCH },
		{ "[]", "must be an object, not an array", CONTROL_JSON },
		{ "{\"version\":1", "line 1, column", CONTROL_JSON },
		{ " ", "is empty", CONTROL_JSON },
	};
	enum control_code code;
	const char *text;
	size_t len;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(control_parse_hello(&arena, cases[i].text,
						strlen(cases[i].text),
						&code) < 0);
		assert_non_null(strstr(err_text(), cases[i].why));
		assert_int_equal(code, cases[i].code);
		assert_true(control_code_closes(code));
	}
	assert_int_equal(control_hello(&arena, &text, &len), 0);
	assert_string_equal(text, "{\"version\":1}");
	assert_int_equal(control_parse_hello(&arena, text, len, &code), 0);
}

/* ---- requests ---- */

static void test_a_bad_request_has_one_clear_error(void **state)
{
	static const struct refused cases[] = {
		{ "{\"id\":1,\"verb\":\"stats\",\"argument\":{}}",
		  "argument: is not a member of this message",
		  CONTROL_REQUEST },
		{ "{\"id\":1}", "verb", CONTROL_REQUEST },
		{ "{\"verb\":\"stats\"}", "id", CONTROL_REQUEST },
		{ "{\"id\":1,\"verb\":\"\"}", "verb", CONTROL_REQUEST },
		{ "{\"id\":-1,\"verb\":\"stats\"}", "id", CONTROL_REQUEST },
		{ "{\"id\":1,\"verb\":\"stats\",\"arguments\":[]}",
		  "arguments: must be an object, not an array",
		  CONTROL_REQUEST },
		{ "{\"id\":1,\"ID\":2,\"verb\":\"stats\"}",
		  "ID: is not a member of this message", CONTROL_REQUEST },
		{ "{\"id\":1,\"id\":2,\"verb\":\"stats\"}",
		  "id: given twice in one object", CONTROL_JSON },
		{ "stats", "line 1, column", CONTROL_JSON },
		{ "7", "must be an object, not a number", CONTROL_JSON },
	};
	struct control_request request;
	enum control_code code;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(control_parse_request(&arena, cases[i].text,
						  strlen(cases[i].text),
						  &request, &code) < 0);
		if (!strstr(err_text(), cases[i].why))
			fail_msg("%s: %s", cases[i].text, err_text());
		assert_int_equal(code, cases[i].code);
	}
}

static void test_a_request_is_read_as_it_was_written(void **state)
{
	struct control_request request;
	enum control_code code;
	const char *text;
	size_t len;

	(void)state;
	assert_int_equal(control_request(&arena, UINT64_MAX, "no\"such\n", NULL,
					 &text, &len),
			 0);
	assert_int_equal(control_parse_request(&arena, text, len, &request,
					       &code),
			 0);
	assert_true(request.id == UINT64_MAX);
	assert_string_equal(request.verb, "no\"such\n");
	assert_null(request.arguments);
	assert_int_equal(control_request(&arena, 3, "update", "{\"a\":[1]}",
					 &text, &len),
			 0);
	assert_int_equal(control_parse_request(&arena, text, len, &request,
					       &code),
			 0);
	assert_non_null(json_find(request.arguments, "a"));
}

/* ---- answers ---- */

static struct control_answer read_answer(const char *text, size_t len)
{
	struct control_answer answer;

	if (control_parse_answer(&arena, text, len, &answer) < 0)
		fail_msg("%s: %s", text, err_text());
	return answer;
}

static void test_an_answer_is_read_as_it_was_written(void **state)
{
	struct control_answer answer;
	const char *text;
	size_t len;

	(void)state;
	for (enum control_code code = 0; code < CONTROL_CODES; code++) {
		assert_int_equal(control_error(&arena, 5, code, "no: \"x\"",
					       &text, &len),
				 0);
		answer = read_answer(text, len);
		assert_int_equal(answer.kind, CONTROL_ERROR);
		assert_string_equal(answer.code, control_code_name(code));
		assert_string_equal(answer.message, "no: \"x\"");
	}
	control_answer(&arena, CONTROL_OK, 6, "{\"ports\":[]}", &text, &len);
	assert_string_equal(text, "{\"id\":6,\"ok\":{\"ports\":[]}}");
	answer = read_answer(text, len);
	assert_int_equal(answer.kind, CONTROL_OK);
	assert_non_null(json_find(answer.value, "ports"));
	control_answer(&arena, CONTROL_EVENT, 6, "{}", &text, &len);
	assert_int_equal(read_answer(text, len).kind, CONTROL_EVENT);
	control_answer(&arena, CONTROL_END, 6, NULL, &text, &len);
	assert_int_equal(read_answer(text, len).kind, CONTROL_END);
	control_lost(&arena, 6, 12, &text, &len);
	answer = read_answer(text, len);
	assert_int_equal(answer.kind, CONTROL_LOST);
	assert_int_equal(answer.lost, 12);
}

static void test_a_bad_answer_is_refused(void **state)
{
	static const char *const cases[] = {
		"{}",
		"{\"id\":1}",
		"{\"id\":1,\"ok\":{},\"event\":{}}",
		"{\"id\":1,\"ok\":[]}",
		"{\"id\":1,\"end\":false}",
		"{\"id\":1,\"lost\":0}",
		"{\"id\":1,\"error\":{}}",
		"{\"id\":1,\"error\":{\"code\":\"x\"}}",
		"{\"id\":1,\"okay\":{}}",
	};
	struct control_answer answer;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		err_clear();
		if (control_parse_answer(&arena, cases[i], strlen(cases[i]),
					 &answer) >= 0)
			fail_msg("%s was accepted", cases[i]);
		assert_true(*err_text());
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_frame_is_found_only_when_it_is_whole),
		cmocka_unit_test(test_a_frame_is_refused_by_its_header),
		cmocka_unit_test(test_a_header_is_read_as_it_was_written),
		cmocka_unit_test(test_hello_must_name_our_version),
		cmocka_unit_test(test_a_bad_request_has_one_clear_error),
		cmocka_unit_test(test_a_request_is_read_as_it_was_written),
		cmocka_unit_test(test_an_answer_is_read_as_it_was_written),
		cmocka_unit_test(test_a_bad_answer_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
