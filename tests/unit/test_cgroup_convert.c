/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_cgroup_convert.c - values of linux.resources to values of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "cgroups/internal.h"

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

#define I64(n)          \
	{               \
		true, n \
	}
#define U64(n)          \
	{               \
		true, n \
	}

static void test_weight(void **state)
{
	static const struct {
		uint64_t shares;
		unsigned int weight;
	} cases[] = {
		{ 0, 1 },	   { 1, 1 },
		{ 2, 1 },	   { 3, 2 },
		{ 4, 2 },	   { 100, 17 },
		{ 512, 59 },	   { 1024, 100 },
		{ 1025, 101 },	   { 2048, 174 },
		{ 262143, 10000 }, { 262144, 10000 },
		{ 300000, 10000 }, { UINT64_MAX, 10000 },
	};
	unsigned int last = 1;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(shares_to_weight(cases[i].shares),
				 cases[i].weight);
	for (uint64_t shares = 2; shares <= 262144; shares += 97) {
		unsigned int weight = shares_to_weight(shares);

		assert_in_range(weight, last, 10000);
		last = weight;
	}
}

static void test_io_weight(void **state)
{
	static const struct {
		uint64_t blkio;
		unsigned int io;
	} cases[] = {
		{ 10, 1 },     { 11, 11 },    { 100, 910 },
		{ 500, 4950 }, { 999, 9989 }, { 1000, 10000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(blkio_to_io_weight(cases[i].blkio),
				 cases[i].io);
}

static void test_swap(void **state)
{
	static const struct {
		int64_t limit, together, alone;
	} cases[] = {
		{ 64, 96, 32 },
		{ 64, 64, 0 },
		{ 64, -1, -1 },
		{ -1, -1, -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(swap_alone(cases[i].limit, cases[i].together),
				 cases[i].alone);
}

static void test_cpu_max(void **state)
{
	static const struct {
		struct oci_i64 quota;
		struct oci_u64 period;
		const char *text;
	} cases[] = {
		{ { 0 }, { 0 }, NULL },
		{ I64(0), U64(0), NULL },
		{ I64(5000), { 0 }, "5000" },
		{ I64(5000), U64(0), "5000" },
		{ I64(5000), U64(20000), "5000 20000" },
		{ I64(-1), { 0 }, "max" },
		{ I64(-7), U64(20000), "max 20000" },
		{ { 0 }, U64(20000), "max 20000" },
		{ I64(0), U64(20000), "max 20000" },
		{ I64(INT64_MAX), U64(UINT64_MAX),
		  "9223372036854775807 18446744073709551615" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[64] = "";
		bool says = cpu_max(&cases[i].quota, &cases[i].period, text,
				    sizeof text);

		assert_int_equal(says, cases[i].text != NULL);
		if (says)
			assert_string_equal(text, cases[i].text);
	}
}

/* A change brings along what it depends on, and nothing else. */
static void test_complete(void **state)
{
	static const struct oci_resources merged = {
		.memory = { .limit = I64(1),
			    .swap = I64(2),
			    .reservation = I64(3) },
		.cpu = { .shares = U64(4),
			 .quota = I64(5),
			 .period = U64(6),
			 .burst = U64(7),
			 .idle = I64(1),
			 .cpus = "0" },
		.pids_limit = I64(8),
	};
	struct oci_resources change = { .pids_limit = I64(8) };
	struct oci_resources all = resources_complete(&change, &merged);

	(void)state;
	assert_memory_equal(&all, &change, sizeof all);

	change = (struct oci_resources){ .memory = { .swap = I64(2) } };
	all = resources_complete(&change, &merged);
	assert_true(all.memory.limit.set && !all.memory.reservation.set);

	change = (struct oci_resources){ .cpu = { .burst = U64(7) } };
	all = resources_complete(&change, &merged);
	assert_true(all.cpu.quota.set && all.cpu.period.set);
	assert_true(!all.cpu.shares.set && !all.cpu.cpus);

	change = (struct oci_resources){ .cpu = { .shares = U64(4) } };
	all = resources_complete(&change, &merged);
	assert_int_equal(all.cpu.idle.value, 1);
	assert_false(all.cpu.quota.set);
}

/* What brings a file back to what it said. */
static void test_undo(void **state)
{
	static const struct {
		struct setting setting;
		const char *content, *text;
	} cases[] = {
		{ { .file = "pids.max" }, "max", "max" },
		{ { .file = "cpu.max" }, "5000 10000", "5000 10000" },
		{ { .file = "cpuset.cpus" }, "", "\n" },
		{ { .key = "8:0", .none = "8:0 0" }, "", "8:0 0" },
		{ { .key = "8:0", .none = "8:0 0" },
		  "8:01 7\n8:0 5\n8:1 6",
		  "8:0 5" },
		{ { .key = "8:2", .none = "8:2 0" }, "8:0 5\n8:1 6", "8:2 0" },
		{ { .key = "default" }, "default 100\n8:0 5", "default 100" },
		{ { .key = "oom_kill_disable", .bare = true },
		  "oom_kill_disable 1\nunder_oom 0",
		  "1" },
		{ { .key = "eth7" }, "eth0 0\nlo 0", NULL },
	};
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 1 << 16), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char content[128];
		const char *text;

		strcpy(content, cases[i].content);
		text = setting_undo_text(&arena, &cases[i].setting, content);
		assert_int_equal(text != NULL, cases[i].text != NULL);
		if (text)
			assert_string_equal(text, cases[i].text);
	}
	arena_close(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weight),
		cmocka_unit_test(test_io_weight),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_cpu_max),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_undo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
