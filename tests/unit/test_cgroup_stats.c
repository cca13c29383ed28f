/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_cgroup_stats.c - `events` on trees that look like cgroups. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/io.h"
#include "base/util.h"
#include "cgroups/cgroup.h"
#include "oci/write.h"

#include <cmocka.h>

struct file {
	const char *name, *text;
};

static const struct file v1_files[] = {
	{ "hugetlb.2MB.usage_in_bytes", "4194304\n" },
	{ "hugetlb.2MB.max_usage_in_bytes", "6291456\n" },
	{ "hugetlb.2MB.failcnt", "3\n" },
	{ "hugetlb.2MB.limit_in_bytes", "6291456\n" },
	{ "hugetlb.2MB.rsvd.usage_in_bytes", "99\n" },
	{ "hugetlb.1GB.usage_in_bytes", "0\n" },
	{ "hugetlb.1GB.max_usage_in_bytes", "0\n" },
	{ "hugetlb.1GB.failcnt", "0\n" },
	{ NULL, NULL },
};

static const struct file v2_files[] = {
	{ "hugetlb.2MB.current", "2097152\n" },
	{ "hugetlb.2MB.max", "max\n" },
	{ "hugetlb.2MB.events", "max 5\n" },
	{ "hugetlb.2MB.events.local", "max 4\n" },
	{ "hugetlb.2MB.rsvd.current", "99\n" },
	{ NULL, NULL },
};

static const char *const v1_says =
	"\"hugetlb\":{\"1GB\":{\"usage\":0,\"max\":0,\"failcnt\":0},"
	"\"2MB\":{\"usage\":4194304,\"max\":6291456,\"failcnt\":3}}}";
static const char *const v2_says =
	"\"hugetlb\":{\"2MB\":{\"usage\":2097152,\"failcnt\":5}}}";

static void write_files(const char *path, const struct file *files)
{
	autoclose int dir = -1;

	assert_int_equal(mkdir(path, 0755), 0);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (; files->name; files++)
		assert_int_equal(io_replace_at(dir, files->name, files->text,
					       strlen(files->text), 0644),
				 0);
}

/* What is said of the container whose cgroups are these; hugetlb comes last. */
static void assert_stats_end(struct cgroup_member *members, size_t n,
			     const char *end)
{
	AUTO(arena_close) struct arena arena = { 0 };
	const struct cgroup cgroup = { .items = members, .n = n };
	const char *text;
	struct writer w;
	size_t len;

	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	writer_open(&w, &arena, WRITE_COMPACT);
	put_object(&w, NULL);
	cgroup_put_stats(&arena, &cgroup, &w);
	put_end(&w);
	assert_int_equal(writer_close(&w, &text, &len), 0);
	assert_true(len >= strlen(end));
	assert_string_equal(text + len - strlen(end), end);
}

static void huge_pages_are_told_by_size(void **state)
{
	char top[] = "/tmp/test_stats.XXXXXX", one[64], two[64];
	struct cgroup_member members[] = {
		{ .controllers = "memory", .path = "/nonesuch" },
		{ .controllers = "hugetlb", .path = one },
		{ .controllers = "", .path = two, .v2 = true },
	};

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(one, sizeof one, "%s/one", top);
	snprintf(two, sizeof two, "%s/two", top);
	write_files(one, v1_files);
	write_files(two, v2_files);
	assert_stats_end(members, 2, v1_says);
	/* A v1 hierarchy has the controller, or else v2 has. */
	assert_stats_end(members, 3, v1_says);
	members[1].controllers = "cpu";
	assert_stats_end(members, 3, v2_says);
	assert_stats_end(members + 2, 1, v2_says);
	members[2].path = "/nonesuch";
	assert_stats_end(members + 2, 1, "\"hugetlb\":{}}");
	assert_stats_end(NULL, 0, "\"hugetlb\":{}}");
	(void)io_remove_tree_at(AT_FDCWD, top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(huge_pages_are_told_by_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
