/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_base.c - errors, memory, numbers and files. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/date.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/strings.h"
#include "base/util.h"

/* After base/err.h: its fail() is a macro. */
#undef fail
#include <cmocka.h>

#include "tests/unit/emulator.h"
#undef fail

static void dates_are_those_of_the_c_library(void **state)
{
	/* A prime number of seconds, so that every field takes every value. */
	const int64_t step = 86028121, last = 253402300799;

	(void)state;
	for (int64_t at = -62167219200; at <= last; at += step) {
		char ours[DATE_SIZE], theirs[64];
		time_t seconds = at;
		struct tm tm;

		gmtime_r(&seconds, &tm);
		snprintf(theirs, sizeof theirs, "%04d-%02d-%02dT%02d:%02d:%02d",
			 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
			 tm.tm_hour, tm.tm_min, tm.tm_sec);
		date_text(at, ours);
		assert_string_equal(ours, theirs);
	}
}

static void errors_read_from_the_outside_in(void **state)
{
	(void)state;
	assert_int_equal(fail(ENOENT, "open %s", "/x"), -ENOENT);
	assert_string_equal(err_text(), "open /x: no such file or directory");
	assert_int_equal(fail_in(-7, "mounts[%d]", 3), -7);
	assert_string_equal(err_text(),
			    "mounts[3]: open /x: no such file or directory");
	(void)fail_at(-1, "linux.");
	assert_true(starts_with(err_text(), "linux.mounts[3]: "));
	assert_int_equal(fail(0, "no errno"), -1);
	assert_string_equal(err_text(), "no errno");
	err_clear();
	assert_string_equal(err_text(), "");
}

static void a_long_error_is_cut(void **state)
{
	char *text = malloc(100000);

	(void)state;
	memset(text, 'x', 99999);
	text[99999] = '\0';
	(void)fail(ENOENT, "open %s", text);
	assert_true(strlen(err_text()) < 2200);
	assert_true(starts_with(err_text(), "open xxx"));
	assert_non_null(strstr(err_text(), "xxx...xxx"));
	assert_non_null(strstr(err_text(), "xxx: no such file or directory"));
	(void)fail_in(-1, "%s", text);
	assert_true(strlen(err_text()) < 2200);
	assert_non_null(strstr(err_text(), "xxx: no such file or directory"));
	free(text);
}

static void errno_texts_are_lower_case(void **state)
{
	(void)state;
	assert_string_equal(errno_text(EPERM), "operation not permitted");
	assert_string_equal(errno_text(EIO), "input/output error");
}

static void memory_is_zeroed_aligned_and_bounded(void **state)
{
	struct arena arena;
	char *a, *b;

	(void)state;
	assert_int_equal(arena_open(&arena, 65536), 0);
	a = arena_alloc(&arena, 3);
	b = arena_alloc(&arena, 100);
	assert_int_equal((uintptr_t)b % 16, 0);
	assert_true(b >= a + 3);
	for (int i = 0; i < 100; i++)
		assert_int_equal(b[i], 0);
	assert_null(arena_alloc(&arena, 65536));
	assert_true(strstr(err_text(), "cannot allocate memory") != NULL);
	assert_null(arena_array(&arena, SIZE_MAX / 2, 4));
	assert_non_null(arena_alloc(&arena, 1000));
	assert_string_equal(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
	assert_string_equal(arena_strndup(&arena, "abcdef", 3), "abc");
	arena_close(&arena);
	arena_close(&arena);
}

static void arrays_grow_by_copy(void **state)
{
	struct arena arena;
	int *small, *large;

	(void)state;
	assert_int_equal(arena_open(&arena, 65536), 0);
	small = arena_array(&arena, 2, sizeof *small);
	small[0] = 1;
	small[1] = 2;
	large = arena_grow(&arena, small, 2, 5, sizeof *large);
	assert_int_equal(large[1], 2);
	assert_int_equal(large[4], 0);
	arena_close(&arena);
}

static void an_array_gets_room_for_one_more(void **state)
{
	struct arena arena;
	size_t room = 0;
	int *items = NULL;

	(void)state;
	assert_int_equal(arena_open(&arena, 65536), 0);
	for (int i = 0; i < 100; i++) {
		items = arena_room(&arena, items, (size_t)i, &room,
				   sizeof *items);
		assert_non_null(items);
		assert_true(room > (size_t)i);
		items[i] = i;
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(items[i], i);
	/* The array stays as it is if the arena is full. */
	assert_null(arena_room(&arena, items, room, &room, 65536));
	assert_true(room < 65536);
	err_clear();
	arena_close(&arena);
}

static void a_cleared_arena_is_empty(void **state)
{
	struct arena arena;
	char *text;

	(void)state;
	assert_int_equal(arena_open(&arena, 65536), 0);
	text = arena_strdup(&arena, "some text");
	arena_clear(&arena);
	assert_ptr_equal(arena_alloc(&arena, 10), text);
	assert_memory_equal(text, "\0\0\0\0\0\0\0\0\0", 10);
	arena_close(&arena);
}

/* "nh" among the flags of its mapping: no huge page. */
static void an_arena_has_small_pages(void **state)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	struct arena arena;
	uintptr_t from, to;
	bool inside = false, small = false;
	char line[1024];

	(void)state;
	skip_in_emulator();
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK) < 0) {
		print_message("needs huge pages\n");
		skip();
	}
	assert_int_equal(arena_open(&arena, 4 << 20), 0);
	assert_non_null(smaps);
	while (fgets(line, sizeof line, smaps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2)
			inside = (uintptr_t)arena.memory >= from &&
				 (uintptr_t)arena.memory < to;
		else if (inside && starts_with(line, "VmFlags:"))
			small = strstr(line, " nh");
	}
	assert_true(small);
	fclose(smaps);
	arena_close(&arena);
}

static void ids_are_whole_numbers_in_range(void **state)
{
	static const struct {
		const char *text;
		int64_t value; /* -1: refused */
	} cases[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "4294967294", 4294967294 },
		{ "4294967295", -1 },
		{ "4294967296", -1 },
		{ "-1", -1 },
		{ "", -1 },
		{ " 1", -1 },
		{ "1 ", -1 },
		{ "1x", -1 },
		{ "0x1", -1 },
		{ "+1", -1 },
		{ "18446744073709551616", -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t id = 77;
		int r = num_id(cases[i].text, &id);

		assert_int_equal(r < 0, cases[i].value < 0);
		assert_int_equal(id, r < 0 ? 77 : cases[i].value);
	}
}

static void numbers_keep_all_64_bits(void **state)
{
	uint64_t u;
	int64_t i;

	(void)state;
	assert_int_equal(num_u64("18446744073709551615", &u), 0);
	assert_true(u == UINT64_MAX);
	assert_true(num_u64("18446744073709551616", &u) < 0);
	assert_int_equal(num_i64("-9223372036854775808", &i), 0);
	assert_true(i == INT64_MIN);
	assert_true(num_i64("9223372036854775808", &i) < 0);
	assert_true(num_i64("--1", &i) < 0);
}

static void sizes_have_units(void **state)
{
	static const struct {
		const char *text;
		int64_t value; /* -2: refused */
	} cases[] = {
		{ "0", 0 },
		{ "17", 17 },
		{ "1k", 1024 },
		{ "2M", 2 << 20 },
		{ "3gb", 3LL << 30 },
		{ "1T", 1LL << 40 },
		{ "-1", -1 },
		{ "-2", -2 },
		{ "1x", -2 },
		{ "k", -2 },
		{ "1.5g", 3LL << 29 },
		{ "64MB", 64 << 20 },
		{ "64MiB", 64 << 20 },
		{ "64mib", 64 << 20 },
		{ "12b", 12 },
		{ "0.5K", 512 },
		{ "0.0001k", 0 },
		{ "1.000000000000000000000000001k", 1024 },
		{ "8388607.9T", 9223371926903613030 },
		{ "8388608T", -2 },
		{ "1.5", -2 },
		{ "1.5b", -2 },
		{ "1.g", -2 },
		{ ".5g", -2 },
		{ "1.5.5g", -2 },
		{ "64ib", -2 },
		{ "64Mi", -2 },
		{ "64MM", -2 },
		{ "64 M", -2 },
		{ "64MiBs", -2 },
		{ "", -2 },
		{ "9007199254740993", 9007199254740993 },
		{ "99999999T", -2 },
		{ "-1k", -2 },
		{ "-01", -2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t size = -2;

		(void)num_size(cases[i].text, &size);
		assert_true(size == cases[i].value);
	}
}

static int temporary_folder(char *path)
{
	strcpy(path, "/tmp/test_base.XXXXXX");
	assert_non_null(mkdtemp(path));
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void files_are_replaced_whole(void **state)
{
	char path[64], *text;
	struct arena arena;
	autoclose int dir = temporary_folder(path);
	struct stat st;

	(void)state;
	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	assert_int_equal(io_replace_at(dir, "f", "one\n", 4, 0600), 0);
	assert_int_equal(io_replace_at(dir, "f", "second\n", 7, 0600), 0);
	assert_int_equal(io_read_at(&arena, dir, "f", 100, &text), 0);
	assert_string_equal(text, "second");
	assert_int_equal(fstatat(dir, "f.tmp", &st, 0), -1);
	assert_int_equal(io_read_at(&arena, dir, "f", 3, &text), -EFBIG);
	assert_int_equal(io_read_at(&arena, dir, "none", 3, &text), -ENOENT);
	assert_int_equal(io_remove_tree_at(AT_FDCWD, path), 0);
	arena_close(&arena);
}

static void trees_are_removed_without_following_links(void **state)
{
	char path[64], outside[64];
	autoclose int dir = temporary_folder(path);
	autoclose int kept = temporary_folder(outside);
	struct stat st;

	(void)state;
	assert_int_equal(mkdirat(dir, "a", 0700), 0);
	assert_int_equal(mkdirat(dir, "a/b", 0700), 0);
	assert_int_equal(symlinkat(outside, dir, "a/b/link"), 0);
	assert_int_equal(mkdirat(kept, "precious", 0700), 0);
	assert_int_equal(io_remove_tree_at(AT_FDCWD, path), 0);
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(fstatat(kept, "precious", &st, 0), 0);
	assert_int_equal(io_remove_tree_at(AT_FDCWD, outside), 0);
}

static void the_json_log_escapes_what_it_must(void **state)
{
	char path[64], file[128], *text;
	struct arena arena;
	autoclose int dir = temporary_folder(path);
	struct log_options options = { .format = LOG_JSON };

	(void)state;
	snprintf(file, sizeof file, "%s/log", path);
	options.file = file;
	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	assert_int_equal(log_open(&options), 0);
	log_error("a \"quote\", a \\ and\na line");
	log_warning("not without --debug");
	assert_int_equal(io_read_at(&arena, dir, "log", 4096, &text), 0);
	assert_true(starts_with(text,
				"{\"level\":\"error\",\"msg\":\"a \\\"quote\\\""
				", a \\\\ and\\u000aa line\",\"time\":\""));
	assert_null(strchr(text, '\n'));
	assert_int_equal(io_remove_tree_at(AT_FDCWD, path), 0);
	arena_close(&arena);
}

static void lists_end_with_null(void **state)
{
	static const char *const words[] = { "a", "b", NULL };
	struct strings fixed = STRINGS_OF(words), list = { 0 }, shared;
	struct arena arena;

	(void)state;
	assert_int_equal(fixed.n, 2);
	assert_null(fixed.items[2]);
	assert_int_equal(arena_open(&arena, 1 << 16), 0);
	for (size_t i = 0; i < 40; i++) {
		shared = list;
		assert_int_equal(strings_add(&arena, &list, "x"), 0);
		assert_int_equal(list.n, i + 1);
		assert_null(list.items[list.n]);
		assert_true(!shared.items || !shared.items[shared.n]);
	}
	/* strings_add() must not write to an array of the caller. */
	assert_int_equal(strings_add(&arena, &fixed, "c"), 0);
	assert_string_equal(fixed.items[2], "c");
	assert_null(fixed.items[3]);
	assert_null(words[2]);
	assert_true(strings_has(&fixed, "b") && !strings_has(&fixed, "d"));
	/* What could not be copied before. */
	assert_int_equal(strings_add(&arena, &fixed, NULL), -ENOMEM);
	assert_int_equal(fixed.n, 3);
	arena_close(&arena);
}

static void descriptors_arrive_with_their_message(void **state)
{
	int pair[2], fds[2] = { -1, -1 };
	char text[8] = "";
	size_t n;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(io_send_fds(pair[0], "hello", 5, pair, 2), 0);
	assert_int_equal(io_receive_fds(pair[1], text, sizeof text, fds, 2, &n),
			 5);
	assert_string_equal(text, "hello");
	assert_int_equal(n, 2);
	assert_int_equal(fcntl(fds[1], F_GETFD), FD_CLOEXEC);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(io_send_fds(pair[0], "plain", 5, NULL, 0), 0);
	assert_int_equal(io_receive_fds(pair[1], text, sizeof text, fds, 2, &n),
			 5);
	assert_int_equal(n, 0);
	close(pair[0]);
	assert_int_equal(io_receive_fds(pair[1], text, sizeof text, fds, 2, &n),
			 0);
	close(pair[1]);
}

static void too_many_descriptors_are_closed(void **state)
{
	int pair[2], fd = -1, next;
	char text[8];
	size_t n;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	next = dup(pair[0]);
	close(next);
	assert_int_equal(io_send_fds(pair[0], "x", 1, pair, 2), 0);
	assert_int_equal(io_receive_fds(pair[1], text, sizeof text, &fd, 1, &n),
			 -EPROTO);
	assert_int_equal(n, 0);
	assert_int_equal(fcntl(next, F_GETFD), -1);
	assert_int_equal(fcntl(next + 1, F_GETFD), -1);
	close(pair[0]);
	close(pair[1]);
}

static void the_user_namespace_is_looked_up_once(void **state)
{
	const int closed = 1000000;
	bool first, again;

	(void)state;
	assert_true(proc_in_userns(closed, &first) < 0);
	assert_int_equal(proc_in_userns(-1, &first), 0);
	assert_int_equal(proc_in_userns(closed, &again), 0);
	assert_int_equal(first, again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_are_those_of_the_c_library),
		cmocka_unit_test(errors_read_from_the_outside_in),
		cmocka_unit_test(a_long_error_is_cut),
		cmocka_unit_test(errno_texts_are_lower_case),
		cmocka_unit_test(memory_is_zeroed_aligned_and_bounded),
		cmocka_unit_test(arrays_grow_by_copy),
		cmocka_unit_test(an_array_gets_room_for_one_more),
		cmocka_unit_test(a_cleared_arena_is_empty),
		cmocka_unit_test(an_arena_has_small_pages),
		cmocka_unit_test(lists_end_with_null),
		cmocka_unit_test(ids_are_whole_numbers_in_range),
		cmocka_unit_test(numbers_keep_all_64_bits),
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(files_are_replaced_whole),
		cmocka_unit_test(trees_are_removed_without_following_links),
		cmocka_unit_test(descriptors_arrive_with_their_message),
		cmocka_unit_test(too_many_descriptors_are_closed),
		cmocka_unit_test(the_user_namespace_is_looked_up_once),
		cmocka_unit_test(the_json_log_escapes_what_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
