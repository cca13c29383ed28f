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

static void make_group(struct tree *tree, const char *name,
		       const char *schemata)
{
	char *path = arena_printf(&tree->arena, "%s/%s", tree->path, name);

	assert_int_equal(mkdir(path, 0755), 0);

	autoclose int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(io_replace_at(dir, "schemata", schemata,
				       strlen(schemata), 0644),
			 0);
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
	assert_string_equal(content(tree, "web1/schemata"),
			    "L3:0=ff\nMB:0=50");
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
		{ "L3:0=ff", true },	 { "L3:0=00ff", true },
		{ "L3:0=FF;1=c0", true }, { "L3:1=c0", true },
		{ "L3:0=fe", false },	 { "L3:0=f", false },
		{ "L3:2=ff", false },	 { "MB:0=50", false },
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)
	const struct CMUnitTest tests[] = {
		TEST(a_group_of_its_own_is_made_and_removed),
		TEST(a_named_group_must_have_what_is_asked),
		TEST(a_closid_without_schemas_must_exist),
		TEST(monitoring_has_a_group_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
