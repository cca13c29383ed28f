/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_protobuf.c - messages out, and whatever comes in. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/util.h"
#include "runtime/checkpoint/protobuf.h"
#include "tests/unit/arena_state.h"

static void bytes_are_those_of_the_encoding(void **state)
{
	struct pb pb = { .arena = *state }, inner = { .arena = *state };
	static const uint8_t expected[] = {
		0x08, 0x02,		     /* 1: 2 */
		0x10, 0xac, 0x02,	     /* 2: 300 */
		0xaa, 0x02, 0x02, 'h',	'i', /* 37: "hi" */
		0x2a, 0x02, 0x08, 0x01,	     /* 5: { 1: 1 } */
	};

	pb_number(&pb, 1, 2);
	pb_number(&pb, 2, 300);
	pb_text(&pb, 37, "hi");
	pb_text(&pb, 38, NULL);
	pb_number(&inner, 1, 1);
	pb_message(&pb, 5, &inner);
	assert_false(pb.failed);
	assert_int_equal(pb.len, sizeof expected);
	assert_memory_equal(pb.data, expected, sizeof expected);
}

static void what_is_written_is_read(void **state)
{
	struct pb pb = { .arena = *state };
	struct pb_field f;
	char text[1000];

	memset(text, 'x', sizeof text);
	pb_number(&pb, 1, UINT64_MAX);
	pb_bytes(&pb, 1000, text, sizeof text);
	pb_bytes(&pb, 3, NULL, 0);

	const uint8_t *at = pb.data, *end = pb.data + pb.len;

	assert_int_equal(pb_next(&at, end, &f), 1);
	assert_int_equal(f.number, 1);
	assert_true(f.value == UINT64_MAX);
	assert_null(f.data);
	assert_int_equal(pb_next(&at, end, &f), 1);
	assert_int_equal(f.number, 1000);
	assert_int_equal(f.len, sizeof text);
	assert_memory_equal(f.data, text, sizeof text);
	assert_int_equal(pb_next(&at, end, &f), 1);
	assert_int_equal(f.number, 3);
	assert_int_equal(f.len, 0);
	assert_int_equal(pb_next(&at, end, &f), 0);
}

static void other_kinds_are_stepped_over(void **state)
{
	static const uint8_t in[] = { 0x09, 1,	  2, 3, 4, 5, 6,    7,
				      8,    0x15, 1, 2, 3, 4, 0x18, 7 };
	const uint8_t *at = in;
	struct pb_field f;

	(void)state;
	assert_int_equal(pb_next(&at, in + sizeof in, &f), 1);
	assert_int_equal(pb_next(&at, in + sizeof in, &f), 1);
	assert_int_equal(pb_next(&at, in + sizeof in, &f), 1);
	assert_int_equal(f.number, 3);
	assert_int_equal(f.value, 7);
}

static void nonsense_is_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} cases[] = {
		{ "\x08", 1 },	     /* no value */
		{ "\x80", 1 },	     /* half a key */
		{ "\x00\x01", 2 },   /* no field has number 0 */
		{ "\x0a\x05hi", 4 }, /* shorter than it says */
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12 },
		{ "\x0b", 1 },	       /* a group */
		{ "\x0d\x01\x02", 3 }, /* half a fixed number */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint8_t *at = (const uint8_t *)cases[i].bytes;
		struct pb_field f;

		assert_int_equal(pb_next(&at, at + cases[i].len, &f), -EPROTO);
	}
}

static void a_full_arena_is_told_once(void **state)
{
	struct arena small;
	struct pb pb = { .arena = &small };
	char text[4096] = "";

	(void)state;
	assert_int_equal(arena_open(&small, 4096), 0);
	for (int i = 0; i < 1000; i++)
		pb_bytes(&pb, 1, text, sizeof text);
	assert_true(pb.failed);
	arena_close(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_of_the_encoding),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(other_kinds_are_stepped_over),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(a_full_arena_is_told_once),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
