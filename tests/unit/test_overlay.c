/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_overlay.c - options of overlays, and mounts below workdirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/mountinfo.h"
#include "base/strings.h"
#include "base/util.h"
#include "cow/overlay.h"

#include <cmocka.h>

static struct arena arena;

static int set_up(void **state)
{
	(void)state;
	return arena_open(&arena, 1UL << 20);
}

static int tear_down(void **state)
{
	(void)state;
	arena_close(&arena);
	return 0;
}

static void test_options_of_root(void **state)
{
	const struct overlay overlay = { .lower = "/w",
					 .branch = "/b",
					 .privileged = true };
	struct strings list;

	(void)state;
	assert_int_equal(overlay_options(&arena, &overlay, &list), 0);
	assert_true(strings_has(&list, "lowerdir=/w"));
	assert_true(strings_has(&list, "upperdir=/b/up"));
	assert_true(strings_has(&list, "workdir=/b/wk"));
	assert_true(strings_has(&list, "volatile"));
	assert_true(strings_has(&list, "redirect_dir=on"));
	assert_true(strings_has(&list, "index=on"));
	assert_true(strings_has(&list, "metacopy=off"));
	assert_true(strings_has(&list, "nodev"));
	assert_true(strings_has(&list, "nosuid"));
	assert_false(strings_has(&list, "xino=on"));
	assert_false(strings_has(&list, "userxattr"));
}

static void test_options_of_users(void **state)
{
	const struct overlay overlay = { .lower = "/w",
					 .branch = "/b",
					 .other_fs = true };
	struct strings list;

	(void)state;
	assert_int_equal(overlay_options(&arena, &overlay, &list), 0);
	assert_true(strings_has(&list, "userxattr"));
	assert_true(strings_has(&list, "volatile"));
	/* The kernel refuses these together with userxattr. */
	assert_false(strings_has(&list, "redirect_dir=on"));
	assert_false(strings_has(&list, "metacopy=off"));
	assert_false(strings_has(&list, "xino=on"));
}

static void test_options_of_another_file_system(void **state)
{
	const struct overlay overlay = { .lower = "/w",
					 .branch = "/b",
					 .privileged = true,
					 .other_fs = true };
	struct strings list;

	(void)state;
	assert_int_equal(overlay_options(&arena, &overlay, &list), 0);
	assert_true(strings_has(&list, "xino=on"));
}

static void test_names_with_colons(void **state)
{
	const struct overlay overlay = { .lower = "/a:b\\c", .branch = "/b" };
	struct strings list;

	(void)state;
	assert_int_equal(overlay_options(&arena, &overlay, &list), 0);
	assert_true(strings_has(&list, "lowerdir=/a\\:b\\\\c"));
}

static void test_mounts_below(void **state)
{
	static struct mountinfo_line lines[] = {
		{ .point = "/" },
		{ .point = "/home/u/work" },
		{ .point = "/home/u/work2/x" },
		{ .point = "/home/u/work/a/b" },
	};
	struct mountinfo mounts = { lines, 3 };

	(void)state;
	/* The workdir may be a mount itself. */
	assert_null(overlay_find_mount(&mounts, "/home/u/work"));
	mounts.n = 4;
	assert_string_equal(overlay_find_mount(&mounts, "/home/u/work"),
			    "/home/u/work/a/b");
	assert_null(overlay_find_mount(&mounts, "/home/u/wor"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_of_root),
		cmocka_unit_test(test_options_of_users),
		cmocka_unit_test(test_options_of_another_file_system),
		cmocka_unit_test(test_names_with_colons),
		cmocka_unit_test(test_mounts_below),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
