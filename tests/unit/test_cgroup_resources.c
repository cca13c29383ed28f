/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_cgroup_resources.c - linux.resources to files and values, or to a refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
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
#define BOOL(b)         \
	{               \
		true, b \
	}

static const struct cgroup_layout on_v1 = { .mode = CGROUP_V1 };
static const struct cgroup_layout on_v2 = { .mode = CGROUP_V2 };

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

/* "memory.limit_in_bytes=64 pids.max=5?": a question mark may be left out */
static void describe(const struct settings *settings, char *ret)
{
	*ret = '\0';
	for (size_t i = 0; i < settings->n; i++)
		ret += sprintf(ret, "%s%s=%s%s", i ? " " : "",
			       settings->items[i].file, settings->items[i].text,
			       settings->items[i].needed ? "" : "?");
}

static void test_settings(void **state)
{
	static const struct {
		struct oci_resources resources;
		const char *v1, *v2;
	} cases[] = {
		{ { 0 }, "", "" },
		{ { .memory = { .limit = I64(0), .swap = I64(0) },
		    .cpu = { .shares = U64(0),
			     .quota = I64(0),
			     .period = U64(0),
			     .cpus = "",
			     .mems = "" } },
		  "",
		  "" },
		{ { .pids_limit = I64(100) }, "pids.max=100", "pids.max=100" },
		{ { .pids_limit = I64(0) }, "pids.max=1", "pids.max=1" },
		{ { .pids_limit = I64(-1) }, "pids.max=max?", "pids.max=max?" },
		{ { .memory = { .limit = I64(64) } },
		  "memory.limit_in_bytes=64",
		  "memory.max=64" },
		{ { .memory = { .limit = I64(64),
				.swap = I64(96),
				.reservation = I64(8) } },
		  "memory.limit_in_bytes=64 memory.memsw.limit_in_bytes=96 "
		  "memory.soft_limit_in_bytes=8",
		  "memory.max=64 memory.swap.max=32 memory.low=8" },
		{ { .memory = { .limit = I64(64), .swap = I64(64) } },
		  "memory.limit_in_bytes=64 memory.memsw.limit_in_bytes=64",
		  "memory.max=64 memory.swap.max=0?" },
		{ { .memory = { .limit = I64(64), .swap = I64(-1) } },
		  "memory.limit_in_bytes=64 memory.memsw.limit_in_bytes=-1?",
		  "memory.max=64 memory.swap.max=max?" },
		{ { .memory = { .limit = I64(-1) } },
		  "memory.limit_in_bytes=-1? memory.memsw.limit_in_bytes=-1?",
		  "memory.max=max? memory.swap.max=max?" },
		{ { .cpu = { .shares = U64(1024) } },
		  "cpu.shares=1024",
		  "cpu.weight=100" },
		{ { .cpu = { .quota = I64(5000), .period = U64(10000) } },
		  "cpu.cfs_period_us=10000? cpu.cfs_quota_us=5000",
		  "cpu.max=5000 10000" },
		{ { .cpu = { .quota = I64(5000) } },
		  "cpu.cfs_quota_us=5000",
		  "cpu.max=5000 100000" },
		{ { .cpu = { .quota = I64(-7) } },
		  "cpu.cfs_quota_us=-1?",
		  "cpu.max=max 100000?" },
		{ { .cpu = { .period = U64(10000) } },
		  "cpu.cfs_period_us=10000?",
		  "cpu.max=max 10000?" },
		{ { .cpu = { .cpus = "0-1", .mems = "0" } },
		  "cpuset.cpus=0-1 cpuset.mems=0",
		  "cpuset.cpus=0-1 cpuset.mems=0" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct settings v1 = { .n = 0 }, v2 = { .n = 0 };
		char text[1024];

		cgroup_v1.settings(&cases[i].resources, &v1);
		describe(&v1, text);
		assert_string_equal(text, cases[i].v1);
		cgroup_v2.settings(&cases[i].resources, &v2);
		describe(&v2, text);
		assert_string_equal(text, cases[i].v2);
	}
}

/* A field that asks for a limit is found out; one that asks nothing is not. */
static void test_wants(void **state)
{
	static const struct oci_device_rule rule = { .type = 'a' };
	static const struct {
		struct oci_resources resources;
		bool wants;
	} cases[] = {
		{ { 0 }, false },
		{ { .devices = &rule, .ndevices = 1 }, false },
		{ { .memory = { .limit = I64(-1), .swap = I64(-1) } }, false },
		{ { .cpu = { .period = U64(100000), .cpus = "" } }, false },
		{ { .pids_limit = I64(-1) }, false },
		{ { .pids_limit = I64(0) }, true },
		{ { .memory = { .limit = I64(1) } }, true },
		{ { .cpu = { .mems = "0" } }, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(cgroup_wants_limits(&cases[i].resources),
				 cases[i].wants);
}

static void test_check(void **state)
{
	static const struct {
		struct oci_resources resources;
		const struct cgroup_layout *layout;
		const char *error;
	} cases[] = {
		{ { 0 }, &on_v1, NULL },
		{ { .memory = { .kernel = I64(5),
				.kernel_tcp = I64(5),
				.use_hierarchy = BOOL(true),
				.disable_oom_killer = BOOL(false),
				.check_before_update = BOOL(false) },
		    .cpu = { .realtime_runtime = I64(0), .idle = I64(0) },
		    .block_io = { .weight = U64(0) } },
		  &on_v1,
		  NULL },
		{ { .memory = { .swappiness = U64(0) } },
		  &on_v1,
		  "linux.resources.memory.swappiness: not supported by this "
		  "build" },
		{ { .memory = { .disable_oom_killer = BOOL(true) } },
		  &on_v2,
		  "linux.resources.memory.disableOOMKiller: not supported by "
		  "this build" },
		{ { .block_io = { .weight = U64(10) } },
		  &on_v1,
		  "linux.resources.blockIO.weight: not supported by this "
		  "build" },
		{ { .block_io = { .write_iops = { .n = 1 } } },
		  &on_v1,
		  "linux.resources.blockIO.throttleWriteIOPSDevice: not "
		  "supported by this build" },
		{ { .nhugepage_limits = 1 },
		  &on_v1,
		  "linux.resources.hugepageLimits: not supported by this "
		  "build" },
		{ { .nunified = 1 },
		  &on_v2,
		  "linux.resources.unified: not supported by this build" },
		{ { .cpu = { .burst = U64(1) } },
		  &on_v1,
		  "linux.resources.cpu.burst: not supported by this build" },
		{ { .memory = { .limit = I64(-2) } },
		  &on_v1,
		  "linux.resources.memory.limit: -2 is neither a size nor -1" },
		{ { .memory = { .swap = I64(9) } },
		  &on_v1,
		  "linux.resources.memory.swap: 9 needs a memory.limit beside "
		  "it" },
		{ { .memory = { .limit = I64(9), .swap = I64(8) } },
		  &on_v2,
		  "linux.resources.memory.swap: 8 is memory and swap together, "
		  "and less than memory.limit 9" },
		{ { .memory = { .limit = I64(9), .swap = I64(9) } },
		  &on_v2,
		  NULL },
		{ { .cpu = { .shares = U64(1) } },
		  &on_v1,
		  "linux.resources.cpu.shares: 1: the minimum allowed "
		  "cpu-shares is 2" },
		{ { .cpu = { .shares = U64(262145) } },
		  &on_v1,
		  "linux.resources.cpu.shares: 262145: the maximum allowed "
		  "cpu-shares is 262144" },
		{ { .cpu = { .shares = U64(1) } }, &on_v2, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int r = cgroup_check_resources(&cases[i].resources,
					       cases[i].layout);

		assert_int_equal(r < 0, cases[i].error != NULL);
		if (cases[i].error)
			assert_string_equal(err_text(), cases[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weight),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_wants),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
