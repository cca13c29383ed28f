/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_mountinfo.c - lines of mountinfo, odd ones included. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/mountinfo.h"
#include "base/util.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static void lines_are_taken_apart(void **state)
{
	static const struct {
		const char *line;
		uint64_t id, parent;
		const char *root, *point;
		bool shared;
		const char *type, *source, *options;
	} cases[] = {
		{ "36 35 98:0 / /mnt rw,noatime - ext3 /dev/root rw,errors=x",
		  36, 35, "/", "/mnt", false, "ext3", "/dev/root",
		  "rw,errors=x" },
		/* optional fields, none of which is a path */
		{ "36 35 98:0 /a /b rw master:1 shared:22 - ext3 x rw", 36, 35,
		  "/a", "/b", true, "ext3", "x", "rw" },
		{ "36 35 98:0 /a /b rw master:1 unbindable - ext3 x rw", 36, 35,
		  "/a", "/b", false, "ext3", "x", "rw" },
		{ "36 35 98:0 / /shared:1 rw - ext3 shared:2 rw", 36, 35, "/",
		  "/shared:1", false, "ext3", "shared:2", "rw" },
		/* what the kernel escapes: blank, tab, newline, backslash */
		{ "1 2 0:3 /a\\040b /c\\011\\012\\134d rw - t /s\\040 rw", 1, 2,
		  "/a b", "/c\t\n\\d", false, "t", "/s ", "rw" },
		/* a backslash that was escaped before digits */
		{ "1 2 0:3 / /x\\134040y rw - t s rw", 1, 2, "/", "/x\\040y",
		  false, "t", "s", "rw" },
		{ "1 2 0:3 / /\\040-\\040cgroup rw - t s rw", 1, 2, "/",
		  "/ - cgroup", false, "t", "s", "rw" },
		/* no escape at all */
		{ "1 2 0:3 / /x\\ rw - t s rw", 1, 2, "/", "/x\\", false, "t",
		  "s", "rw" },
		{ "1 2 0:3 / /x\\08z rw - t s rw", 1, 2, "/", "/x\\08z", false,
		  "t", "s", "rw" },
		{ "1 2 0:3 / /x\\04 rw - t s rw", 1, 2, "/", "/x\\04", false,
		  "t", "s", "rw" },
		/* a source may be empty, and so may the options */
		{ "1 2 0:3 / /x rw - tmpfs  rw,size=1", 1, 2, "/", "/x", false,
		  "tmpfs", "", "rw,size=1" },
		{ "1 2 0:3 / /x rw - tmpfs none", 1, 2, "/", "/x", false,
		  "tmpfs", "none", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char line[256];
		struct mountinfo_line m;

		strcpy(line, cases[i].line);
		assert_true(mountinfo_parse(line, &m));
		assert_true(m.id == cases[i].id && m.parent == cases[i].parent);
		assert_string_equal(m.root, cases[i].root);
		assert_string_equal(m.point, cases[i].point);
		assert_int_equal(m.shared, cases[i].shared);
		assert_string_equal(m.type, cases[i].type);
		assert_string_equal(m.source, cases[i].source);
		assert_string_equal(m.options, cases[i].options);
	}
}

static void other_lines_are_refused(void **state)
{
	static const char *const cases[] = {
		"",
		" ",
		" - ",
		" - cgroup",
		"1 2 - cgroup2 x y",
		"36 35 98:0 / /mnt rw ext3 /dev/root rw",
		"36 35 98:0 / /mnt - ext3 /dev/root rw",
		"36 35 98:0 / /mnt rw - ext3",
		"36 35 98:0 / /mnt rw -",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char line[256];
		struct mountinfo_line m;

		strcpy(line, cases[i]);
		assert_false(mountinfo_parse(line, &m));
	}
}

static void a_table_has_the_lines_that_are_mounts(void **state)
{
	char text[] = "1 2 0:3 / / rw - t s rw\n\nno mount\n"
		      "4 1 0:5 / /x rw - t s rw";
	struct mountinfo mounts;
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 16 << 20), 0);
	assert_int_equal(mountinfo_split(&arena, text, &mounts), 0);
	assert_int_equal(mounts.n, 2);
	assert_string_equal(mounts.items[1].point, "/x");
	arena_close(&arena);
}

static void our_own_root_is_listed(void **state)
{
	autoclose int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct mountinfo mounts;
	struct arena arena;
	bool found = false;

	(void)state;
	assert_int_equal(arena_open(&arena, 16 << 20), 0);
	assert_int_equal(mountinfo_read(&arena, proc, "self", &mounts), 0);
	for (size_t i = 0; i < mounts.n; i++)
		found |= streq(mounts.items[i].point, "/");
	assert_true(found);
	assert_int_equal(mountinfo_read(&arena, proc, "nobody", &mounts), -2);
	arena_close(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_taken_apart),
		cmocka_unit_test(other_lines_are_refused),
		cmocka_unit_test(a_table_has_the_lines_that_are_mounts),
		cmocka_unit_test(our_own_root_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
