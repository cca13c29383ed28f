/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_rdt.c - linux.intelRdt on a tree that looks like resctrl. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "cgroups/rdt.h"
#include "oci/write.h"

#include <cmocka.h>
#undef fail

struct tree {
	char path[64];
	struct arena arena;
};

static int make_tree(void **state)
{
	struct tree *tree = calloc(1, sizeof *tree);

	strcpy(tree->path, "/tmp/test_rdt.XXXXXX");
	*state = tree;
	return tree && mkdtemp(tree->path) &&
			       arena_open(&tree->arena, 1 << 20) == 0 ?
		       0 :
		       -1;
}

static int remove_tree(void **state)
{
	struct tree *tree = *state;

	(void)io_remove_tree_at(AT_FDCWD, tree->path);
	arena_close(&tree->arena);
	free(tree);
	return 0;
}

static const char *content(struct tree *tree, const char *name)
{
	char *path = arena_printf(&tree->arena, "%s/%s", tree->path, name);
	char *text;

	return io_read_at(&tree->arena, AT_FDCWD, path, 4096, &text) < 0 ?
		       NULL :
		       text;
}

/* name may be below directories that are not there yet. */
static void make_file(struct tree *tree, const char *name, const char *text)
{
	char *path = arena_printf(&tree->arena, "%s/%s", tree->path, name);
	autoclose int dir = -1;

	for (char *p = path + strlen(tree->path) + 1; (p = strchr(p, '/'));) {
		*p = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*p++ = '/';
	}
	dir = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(io_replace_at(dir, name, text, strlen(text), 0644), 0);
}

static void make_group(struct tree *tree, const char *name,
		       const char *schemata)
{
	make_file(tree, arena_printf(&tree->arena, "%s/schemata", name),
		  schemata);
}

static void a_group_of_its_own_is_made_and_removed(void **state)
{
	struct tree *tree = *state;
	const struct oci_intel_rdt asked = {
		.l3_cache_schema = "L3:0=ff",
		.mem_bw_schema = "MB:0=50",
	};
	struct rdt rdt;

	assert_int_equal(rdt_place(&tree->arena, tree->path, &asked, "web1",
				   &rdt),
			 0);
	assert_int_equal(rdt_make(&rdt, &asked), 0);
	assert_int_equal(rdt_join(&rdt, 4711), 0);
	assert_string_equal(content(tree, "web1/schemata"), "L3:0=ff\nMB:0=50");
	assert_string_equal(content(tree, "web1/tasks"), "4711");
	/* In resctrl a group's files go with it. */
	unlink(arena_printf(&tree->arena, "%s/schemata", rdt.group));
	unlink(arena_printf(&tree->arena, "%s/tasks", rdt.group));
	assert_int_equal(rdt_remove(&rdt), 0);
	assert_int_equal(access(rdt.group, F_OK), -1);
	assert_int_equal(rdt_remove(&rdt), 0);
}

static void a_named_group_must_have_what_is_asked(void **state)
{
	struct tree *tree = *state;
	static const struct {
		const char *schema;
		bool accepted;
	} cases[] = {
		{ "L3:0=ff", true },	  { "L3:0=00ff", true },
		{ "L3:0=FF;1=c0", true }, { "L3:1=c0", true },
		{ "L3:0=fe", false },	  { "L3:0=f", false },
		{ "L3:2=ff", false },	  { "MB:0=50", false },
	};

	make_group(tree, "gold", "    MB:0=100;1=100\n    L3:0=ff;1=c0\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct oci_intel_rdt asked = {
			.clos_id = "gold",
			.l3_cache_schema = cases[i].schema,
		};
		struct rdt rdt;

		assert_int_equal(rdt_place(&tree->arena, tree->path, &asked,
					   "web1", &rdt),
				 0);
		assert_false(rdt.own_group);
		assert_int_equal(rdt_make(&rdt, &asked) == 0,
				 cases[i].accepted);
		assert_int_equal(rdt_remove(&rdt), 0);
		assert_int_equal(access(rdt.group, F_OK), 0);
	}
	assert_true(strstr(err_text(), "linux.intelRdt.l3CacheSchema: ") ==
		    err_text());
}

static void a_closid_without_schemas_must_exist(void **state)
{
	struct tree *tree = *state;
	const struct oci_intel_rdt asked = { .clos_id = "none" };
	struct rdt rdt;

	assert_int_equal(rdt_place(&tree->arena, tree->path, &asked, "web1",
				   &rdt),
			 0);
	assert_int_equal(rdt_make(&rdt, &asked), -ENOENT);
}

static void monitoring_has_a_group_inside(void **state)
{
	struct tree *tree = *state;
	const struct oci_intel_rdt asked = {
		.clos_id = "/",
		.enable_monitoring = true,
	};
	struct rdt rdt;

	make_group(tree, "mon_groups", "");
	assert_int_equal(rdt_place(&tree->arena, tree->path, &asked, "web1",
				   &rdt),
			 0);
	assert_string_equal(rdt.group, tree->path);
	assert_int_equal(rdt_make(&rdt, &asked), 0);
	assert_int_equal(rdt_join(&rdt, 12), 0);
	assert_string_equal(content(tree, "mon_groups/web1/tasks"), "12");
}

static const char *stats(struct tree *tree, const struct rdt *rdt)
{
	struct writer w;
	const char *text;

	writer_open(&w, &tree->arena, WRITE_COMPACT);
	rdt_put_stats(&tree->arena, rdt, &w, NULL);
	assert_int_equal(writer_close(&w, &text, NULL), 0);
	return text;
}

static void make_info(struct tree *tree)
{
	make_file(tree, "info/L3/cbm_mask", "7ff\n");
	make_file(tree, "info/L3/min_cbm_bits", "2\n");
	make_file(tree, "info/L3/num_closids", "16\n");
	make_file(tree, "info/MB/bandwidth_gran", "10\n");
	make_file(tree, "info/MB/delay_linear", "1\n");
	make_file(tree, "info/MB/min_bandwidth", "20\n");
	make_file(tree, "info/MB/num_closids", "8\n");
	make_file(tree, "schemata", "    MB:0=100;1=100\n    L3:0=7ff;1=7ff\n");
}

static void stats_tell_what_a_group_has(void **state)
{
	struct tree *tree = *state;
	const struct oci_intel_rdt asked = { .clos_id = "gold" };
	struct rdt rdt = { 0 };

	assert_string_equal(stats(tree, &rdt), "{}");
	assert_int_equal(rdt_place(&tree->arena, tree->path, &asked, "web1",
				   &rdt),
			 0);
	make_group(tree, "gold",
		   "L3CODE:0=1\n    MB:0= 50;1=100\n    L3:0=0ff;1=7ff\n");
	assert_string_equal(stats(tree, &rdt), "{}");
	make_info(tree);
	assert_string_equal(
		stats(tree, &rdt),
		"{\"l3_cache_info\":{\"cbm_mask\":\"7ff\",\"min_cbm_bits\":2,"
		"\"num_closids\":16},"
		"\"l3_cache_schema_root\":\"L3:0=7ff;1=7ff\","
		"\"l3_cache_schema\":\"L3:0=0ff;1=7ff\","
		"\"mem_bw_info\":{\"bandwidth_gran\":10,\"delay_linear\":1,"
		"\"min_bandwidth\":20,\"num_closids\":8},"
		"\"mem_bw_schema_root\":\"MB:0=100;1=100\","
		"\"mem_bw_schema\":\"MB:0= 50;1=100\"}");
}

static void stats_tell_what_was_counted(void **state)
{
	struct tree *tree = *state;
	struct oci_intel_rdt asked = { .clos_id = "gold" };
	struct rdt rdt;

	make_file(tree, "gold/mon_data/mon_L3_01/llc_occupancy", "12\n");
	make_file(tree, "gold/mon_data/mon_L3_00/llc_occupancy", "11\n");
	make_file(tree, "gold/mon_data/mon_PERF_PKG_00/core_energy", "1\n");
	assert_int_equal(rdt_place(&tree->arena, tree->path, &asked, "web1",
				   &rdt),
			 0);
	assert_string_equal(stats(tree, &rdt),
			    "{\"cmt_stats\":[{\"llc_occupancy\":11},"
			    "{\"llc_occupancy\":12}]}");
	/* Its own, where it has some. */
	asked.enable_monitoring = true;
	make_file(tree,
		  "gold/mon_groups/web1/mon_data/mon_L3_00/"
		  "mbm_total_bytes",
		  "700\n");
	make_file(tree,
		  "gold/mon_groups/web1/mon_data/mon_L3_00/"
		  "mbm_local_bytes",
		  "Unavailable\n");
	assert_int_equal(rdt_place(&tree->arena, tree->path, &asked, "web1",
				   &rdt),
			 0);
	assert_string_equal(stats(tree, &rdt),
			    "{\"mbm_stats\":[{\"mbm_total_bytes\":700,"
			    "\"mbm_local_bytes\":0}]}");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)
	const struct CMUnitTest tests[] = {
		TEST(a_group_of_its_own_is_made_and_removed),
		TEST(a_named_group_must_have_what_is_asked),
		TEST(a_closid_without_schemas_must_exist),
		TEST(monitoring_has_a_group_inside),
		TEST(stats_tell_what_a_group_has),
		TEST(stats_tell_what_was_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
