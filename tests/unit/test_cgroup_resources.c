/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_cgroup_resources.c - linux.resources to files and values, or to a refusal. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "cgroups/internal.h"
#include "tests/unit/arena_state.h"

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

#define MANUAL_WIDTH 120
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

static struct cgroup_hierarchy v1_hierarchies[] = {
	{ "cpu,cpuacct", "/c/cpu", "/", false },
	{ "cpuset", "/c/cpuset", "/", false },
	{ "memory", "/c/memory", "/", false },
	{ "blkio", "/c/blkio", "/", false },
	{ "net_cls,net_prio", "/c/net", "/", false },
	{ "", "/c/unified", "/", true },
};
static struct cgroup_hierarchy v2_hierarchies[] = { { "", "/c", "/", true } };

static const struct cgroup_layout on_v1 = { CGROUP_V1, v1_hierarchies, 5 };
static const struct cgroup_layout on_hybrid = { CGROUP_HYBRID, v1_hierarchies,
						6 };
static const struct cgroup_layout on_v2 = { CGROUP_V2, v2_hierarchies, 1 };
static const struct cgroup_layout without_namespaces = { CGROUP_HYBRID,
							 v2_hierarchies, 1 };

/* "a.b=64 c.d=5? |e.f=6": c.d may be missing, e.f is for when c.d is */
static void describe(const struct settings *settings, char *ret)
{
	*ret = '\0';
	for (size_t i = 0; i < settings->n; i++)
		ret += sprintf(ret, "%s%s%s=%s%s", i ? " " : "",
			       settings->items[i].fallback ? "|" : "",
			       settings->items[i].file, settings->items[i].text,
			       settings->items[i].needed ? "" : "?");
}

static const struct oci_weight_device weight_devices[] = {
	{ 8, 0, U64(500), U64(0) },
	{ 8, 1, { 0 }, U64(10) },
	{ 8, 2, U64(0), { 0 } },
};
static const struct oci_throttle_device throttles[] = { { 8, 0, 1048576 },
							{ 8, 16, 0 } };
static const struct oci_hugepage_limit pages[] = { { "2MB", 0 },
						   { "1GB", UINT64_MAX } };
static const struct oci_net_priority priorities[] = { { "eth0", 5 },
						      { "lo", 0 } };
static const struct oci_rdma rdma[] = {
	{ "a", U64(0), U64(2) },
	{ "b", U64(1), { 0 } },
	{ "c", { 0 }, U64(3) },
};
static const struct oci_annotation files[] = { { "memory.high", "max" },
					       { "cpu.max", "5 10" } };

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
		  "cpu.max=5000" },
		{ { .cpu = { .quota = I64(-7) } },
		  "cpu.cfs_quota_us=-1?",
		  "cpu.max=max?" },
		{ { .cpu = { .period = U64(10000) } },
		  "cpu.cfs_period_us=10000?",
		  "cpu.max=max 10000?" },
		{ { .cpu = { .cpus = "0-1", .mems = "0" } },
		  "cpuset.mems=0 cpuset.cpus=0-1",
		  "cpuset.mems=0 cpuset.cpus=0-1" },
		{ { .memory = { .swappiness = U64(0),
				.disable_oom_killer = BOOL(true),
				.use_hierarchy = BOOL(true) } },
		  "memory.use_hierarchy=1? memory.swappiness=0 "
		  "memory.oom_control=1",
		  "" },
		{ { .memory = { .disable_oom_killer = BOOL(false),
				.use_hierarchy = BOOL(false) } },
		  "memory.oom_control=0?",
		  "" },
		{ { .cpu = { .shares = U64(512), .idle = I64(0) } },
		  "cpu.shares=512 cpu.idle=0?",
		  "cpu.weight=59 cpu.idle=0?" },
		{ { .cpu = { .shares = U64(512), .idle = I64(1) } },
		  "cpu.idle=1",
		  "cpu.idle=1" },
		{ { .cpu = { .quota = I64(9), .burst = U64(8) } },
		  "cpu.cfs_quota_us=9 cpu.cfs_burst_us=8",
		  "cpu.max=9 cpu.max.burst=8" },
		{ { .cpu = { .burst = U64(0) } },
		  "cpu.cfs_burst_us=0?",
		  "cpu.max.burst=0?" },
		{ { .cpu = { .realtime_runtime = I64(5),
			     .realtime_period = U64(6) } },
		  "cpu.rt_period_us=6 cpu.rt_runtime_us=5",
		  "" },
		{ { .block_io = { .weight = U64(100), .leaf_weight = U64(10) } },
		  "blkio.bfq.weight=100 |blkio.weight=100 "
		  "blkio.leaf_weight=10",
		  "io.bfq.weight=default 100 |io.weight=default 910" },
		{ { .block_io = { .weight_devices = weight_devices,
				  .nweight_devices = 3 } },
		  "blkio.bfq.weight_device=8:0 500 |blkio.weight_device=8:0 "
		  "500 blkio.leaf_weight_device=8:1 10",
		  "io.bfq.weight=8:0 500 |io.weight=8:0 4950" },
		{ { .block_io = { .read_bps = { throttles, 2 },
				  .write_iops = { throttles, 1 } } },
		  "blkio.throttle.read_bps_device=8:0 1048576 "
		  "blkio.throttle.read_bps_device=8:16 0? "
		  "blkio.throttle.write_iops_device=8:0 1048576",
		  "io.max=8:0 rbps=1048576 io.max=8:16 rbps=max? "
		  "io.max=8:0 wiops=1048576" },
		{ { .block_io = { .write_bps = { throttles, 1 },
				  .read_iops = { throttles, 1 } } },
		  "blkio.throttle.write_bps_device=8:0 1048576 "
		  "blkio.throttle.read_iops_device=8:0 1048576",
		  "io.max=8:0 wbps=1048576 io.max=8:0 riops=1048576" },
		{ { .hugepage_limits = pages, .nhugepage_limits = 2 },
		  "hugetlb.2MB.limit_in_bytes=0? "
		  "hugetlb.2MB.rsvd.limit_in_bytes=0? "
		  "hugetlb.1GB.limit_in_bytes=18446744073709551615 "
		  "hugetlb.1GB.rsvd.limit_in_bytes=18446744073709551615?",
		  "hugetlb.2MB.max=0? hugetlb.2MB.rsvd.max=0? "
		  "hugetlb.1GB.max=18446744073709551615 "
		  "hugetlb.1GB.rsvd.max=18446744073709551615?" },
		{ { .network = { U64(0x100001), priorities, 2 } },
		  "net_cls.classid=1048577 net_prio.ifpriomap=eth0 5 "
		  "net_prio.ifpriomap=lo 0?",
		  "" },
		{ { .network = { .class_id = U64(0) } },
		  "net_cls.classid=0?",
		  "" },
		{ { .rdma = rdma, .nrdma = 3 },
		  "rdma.max=a hca_handle=0 hca_object=2 rdma.max=b "
		  "hca_handle=1 rdma.max=c hca_object=3",
		  "rdma.max=a hca_handle=0 hca_object=2 rdma.max=b "
		  "hca_handle=1 rdma.max=c hca_object=3" },
		{ { .pids_limit = I64(5), .unified = files, .nunified = 2 },
		  "pids.max=5",
		  "pids.max=5 memory.high=max cpu.max=5 10" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct settings v1 = { .arena = *state };
		struct settings v2 = { .arena = *state };
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
		{ { .cpu = { .idle = I64(0), .burst = U64(0) } }, false },
		{ { .hugepage_limits = pages, .nhugepage_limits = 1 }, false },
		{ { .hugepage_limits = pages, .nhugepage_limits = 2 }, true },
		{ { .block_io = { .weight_devices = weight_devices + 2,
				  .nweight_devices = 1,
				  .read_bps = { throttles + 1, 1 } } },
		  false },
		{ { .network = { U64(0), priorities + 1, 1 } }, false },
		{ { .memory = { .use_hierarchy = BOOL(true),
				.check_before_update = BOOL(true),
				.kernel = I64(5) } },
		  false },
		{ { .unified = files, .nunified = 1 }, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(cgroup_wants_limits(&cases[i].resources),
				 cases[i].wants);
}

static void test_check(void **state)
{
	static const struct oci_annotation io_files[] = { { "io.max", "" } };
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
		{ { .memory = { .swappiness = U64(0),
				.disable_oom_killer = BOOL(true) },
		    .cpu = { .burst = U64(1), .realtime_runtime = I64(1) },
		    .block_io = { .weight = U64(10) } },
		  &on_v1,
		  NULL },
		{ { .memory = { .disable_oom_killer = BOOL(false),
				.use_hierarchy = BOOL(true) },
		    .cpu = { .realtime_runtime = I64(0),
			     .realtime_period = U64(0) },
		    .block_io = { .leaf_weight = U64(0) },
		    .network = { U64(0), priorities + 1, 1 } },
		  &on_v2,
		  NULL },
		{ { .memory = { .swappiness = U64(0) } },
		  &on_v2,
		  "linux.resources.memory.swappiness: not supported on cgroup "
		  "v2" },
		{ { .memory = { .disable_oom_killer = BOOL(true) } },
		  &on_v2,
		  "linux.resources.memory.disableOOMKiller: not supported on "
		  "cgroup v2" },
		{ { .cpu = { .realtime_runtime = I64(1) } },
		  &on_v2,
		  "linux.resources.cpu.realtimeRuntime: not supported on "
		  "cgroup v2" },
		{ { .cpu = { .realtime_period = U64(1) } },
		  &on_v2,
		  "linux.resources.cpu.realtimePeriod: not supported on cgroup "
		  "v2" },
		{ { .block_io = { .leaf_weight = U64(10) } },
		  &on_v2,
		  "linux.resources.blockIO.leafWeight: not supported on cgroup "
		  "v2" },
		{ { .network = { .class_id = U64(1) } },
		  &on_v2,
		  "linux.resources.network.classID: not supported on cgroup "
		  "v2" },
		{ { .network = { U64(1), priorities, 1 } }, &on_hybrid, NULL },
		{ { .network = { U64(0), priorities, 1 } },
		  &without_namespaces,
		  "linux.resources.network.priorities: the net_prio controller "
		  "is not in any mounted cgroup hierarchy" },
		{ { .unified = files, .nunified = 1 },
		  &on_v1,
		  "linux.resources.unified.memory.high: requires cgroup v2" },
		{ { .unified = files, .nunified = 1 },
		  &on_hybrid,
		  "linux.resources.unified.memory.high: the memory controller "
		  "is mounted as cgroup v1 on this host" },
		{ { .unified = io_files, .nunified = 1 },
		  &on_hybrid,
		  "linux.resources.unified.io.max: the io controller is "
		  "mounted as cgroup v1 on this host" },
		{ { .unified = io_files, .nunified = 1 },
		  &without_namespaces,
		  NULL },
		{ { .unified = files, .nunified = 2 }, &on_v2, NULL },
		{ { .block_io = { .weight_devices = weight_devices,
				  .nweight_devices = 3 } },
		  &on_v2,
		  "linux.resources.blockIO.weightDevice[1].leafWeight: not "
		  "supported on cgroup v2" },
		{ { .block_io = { .weight_devices = weight_devices,
				  .nweight_devices = 3 } },
		  &on_v1,
		  NULL },
		{ { .cpu = { .burst = U64(3), .quota = I64(2) } },
		  &on_v2,
		  "linux.resources.cpu.burst: 3 is greater than cpu.quota 2" },
		{ { .cpu = { .burst = U64(3), .quota = I64(-1) } },
		  &on_v2,
		  NULL },
		{ { .memory = { .limit = I64(-2) } },
		  &on_v1,
		  "linux.resources.memory.limit: -2 is neither a size nor -1" },
		{ { .memory = { .swap = I64(9) } },
		  &on_v1,
		  "linux.resources.memory.swap: 9 requires memory.limit" },
		{ { .memory = { .limit = I64(9), .swap = I64(8) } },
		  &on_v2,
		  "linux.resources.memory.swap: 8 (memory plus swap) is less "
		  "than memory.limit 9" },
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

/* Every field asks for something here. */
static const struct oci_resources everything = {
	.memory = { .limit = I64(9),
		    .reservation = I64(9),
		    .swap = I64(9),
		    .kernel = I64(9),
		    .kernel_tcp = I64(9),
		    .swappiness = U64(9),
		    .disable_oom_killer = BOOL(true),
		    .use_hierarchy = BOOL(true),
		    .check_before_update = BOOL(true) },
	.cpu = { .shares = U64(9),
		 .quota = I64(9),
		 .period = U64(9),
		 .burst = U64(9),
		 .realtime_runtime = I64(9),
		 .realtime_period = U64(9),
		 .idle = I64(1),
		 .cpus = "0",
		 .mems = "0" },
	.pids_limit = I64(9),
	.block_io = { .weight = U64(10),
		      .leaf_weight = U64(10),
		      .weight_devices = weight_devices,
		      .nweight_devices = 3,
		      .read_bps = { throttles, 1 },
		      .write_bps = { throttles, 1 },
		      .read_iops = { throttles, 1 },
		      .write_iops = { throttles, 1 } },
	.hugepage_limits = pages,
	.nhugepage_limits = 2,
	.network = { U64(9), priorities, 1 },
	.rdma = rdma,
	.nrdma = 3,
	.unified = files,
	.nunified = 2,
};

/* Does the table name this file for this field? SIZE stands for any. */
static bool names_file(const char *files_named, const char *file)
{
	char name[64];
	unsigned int size;
	char unit, rest[32];

	snprintf(name, sizeof name, "%s", file);
	if (sscanf(file, "hugetlb.%u%cB.%31s", &size, &unit, rest) == 3)
		snprintf(name, sizeof name, "hugetlb.SIZE.%s", rest);
	return streq(files_named, "as named") || list_has(files_named, name);
}

static void check_files(const struct field *field, bool v2,
			struct settings *settings)
{
	const struct field_place *place = v2 ? &field->v2 : &field->v1;
	bool written = place->answer == ANSWER_APPLIED ||
		       place->answer == ANSWER_HINT;
	size_t len = strlen(field->name), n = 0;

	for (size_t i = 0; i < settings->n; i++) {
		const struct setting *s = &settings->items[i];

		if (strncmp(s->field, field->name, len) != 0 ||
		    (s->field[len] && !strchr(".[", s->field[len])))
			continue;
		n++;
		if (!written || !names_file(place->files, s->file))
			fail_msg("%s: %s is not in the table", field->name,
				 s->file);
	}
	/* Idle takes the place of shares, quota and period are one file. */
	if (written && !n && !streq(field->name, "cpu.shares") &&
	    !streq(field->name, "cpu.period"))
		fail_msg("%s: nothing is written", field->name);
}

/* The table says what is written, and what is written is in the table. */
static void test_table(void **state)
{
	struct settings v1 = { .arena = *state }, v2 = { .arena = *state };
	const struct field *fields;
	size_t n;

	fields = resources_fields(&n);
	cgroup_v1.settings(&everything, &v1);
	cgroup_v2.settings(&everything, &v2);
	for (size_t i = 0; i < n; i++) {
		assert_true(field_asks(&fields[i], &everything));
		check_files(&fields[i], false, &v1);
		check_files(&fields[i], true, &v2);
	}
}

static const char *words_for(const struct field_place *place)
{
	switch (place->answer) {
	case ANSWER_WARNING:
		return "accepted with a warning";
	case ANSWER_ERROR:
		return "error";
	default:
		return place->files;
	}
}

/* Move past the first name of a list; return its length. */
static int next_name(const char **list)
{
	const char *name = *list;
	size_t len = strcspn(name, ",");

	*list = name + len + strspn(name + len, ", ");
	return (int)len;
}

/* A row that is too wide becomes one for each file. */
static void put_row(FILE *text, const char *name, const char *v1,
		    const char *v2)
{
	if (strlen(name) + strlen(v1) + strlen(v2) + strlen("|  |  |  |") <=
	    MANUAL_WIDTH) {
		fprintf(text, "| %s | %s | %s |\n", name, v1, v2);
		return;
	}
	while (*v1 || *v2) {
		const char *a = v1, *b = v2;
		int alen = next_name(&v1), blen = next_name(&v2);

		fprintf(text, "| %s | %.*s | %.*s |\n", name, alen, a, blen, b);
	}
}

/* The manual has this very table. */
static void test_manual(void **state)
{
	const char *source = getenv("srcdir");
	char *manual, *table = NULL, path[4096];
	const struct field *fields;
	size_t n, size;
	FILE *text;

	fields = resources_fields(&n);
	text = open_memstream(&table, &size);
	fputs("| linux.resources | cgroup v1 | cgroup v2 |\n|---|---|---|\n",
	      text);
	for (size_t i = 0; i < n; i++)
		put_row(text, fields[i].name, words_for(&fields[i].v1),
			words_for(&fields[i].v2));
	fclose(text);
	snprintf(path, sizeof path, "%s/sandlock-oci.1.md",
		 source ? source : ".");
	assert_int_equal(io_read_at(*state, AT_FDCWD, path, 1 << 20, &manual),
			 0);
	if (!strstr(manual, table)) {
		fputs(table, stderr);
		fail_msg("the manual must have the table above");
	}
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings), cmocka_unit_test(test_wants),
		cmocka_unit_test(test_check),	 cmocka_unit_test(test_table),
		cmocka_unit_test(test_manual),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
