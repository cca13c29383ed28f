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

static void devices_have_the_kernels_number(void **state)
{
	static const struct {
		const char *line;
		uint32_t device;
	} cases[] = {
		{ "1 2 0:28 / / rw - t s rw", 28 },
		{ "1 2 8:1 / / rw - t s rw", 8 << 20 | 1 },
		{ "1 2 254:1048575 / / rw - t s rw", 254 << 20 | 1048575 },
		{ "1 2 4095:1048575 / / rw - t s rw", 0xffffffff },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char line[256];
		struct mountinfo_line m;

		strcpy(line, cases[i].line);
		assert_true(mountinfo_parse(line, &m));
		assert_int_equal(m.device, cases[i].device);
	}
}

static void a_path_is_below_a_directory_or_not(void **state)
{
	static const struct {
		const char *path, *dir, *rest;
	} cases[] = {
		{ "/a/b", "/a", "/b" }, { "/a", "/a", "" },
		{ "/ab", "/a", NULL },	{ "/a", "/a/b", NULL },
		{ "/a", "/", "/a" },	{ "/", "/", "" },
		{ "/", "/a", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *rest = mountinfo_rest(cases[i].path, cases[i].dir);

		if (cases[i].rest)
			assert_string_equal(rest, cases[i].rest);
		else
			assert_null(rest);
	}
}

static void a_path_is_translated_by_its_mount(void **state)
{
	char text[] = "1 0 8:1 / / rw - ext4 s rw\n"
		      "2 1 8:2 /@home /home rw - btrfs s rw\n"
		      "3 2 8:1 /srv/data /home/me/data rw - ext4 s rw\n"
		      "4 1 0:9 / /mnt rw - tmpfs s rw\n"
		      "5 4 8:1 /top /mnt rw - ext4 s rw\n"
		      "6 1 8:1 /file /etc/hosts rw - ext4 s rw\n";
	static const struct {
		const char *path;
		uint64_t id;
		const char *inner;
	} cases[] = {
		{ "/", 1, "/" },
		{ "/run/x", 1, "/run/x" },
		{ "/homes/x", 1, "/homes/x" },
		{ "/home", 2, "/@home" },
		{ "/home/me/x", 2, "/@home/me/x" },
		{ "/home/me/data/x", 3, "/srv/data/x" },
		/* the upper of two */
		{ "/mnt/x", 5, "/top/x" },
		{ "/etc/hosts", 6, "/file" },
	};
	struct mountinfo mounts;
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 16 << 20), 0);
	assert_int_equal(mountinfo_split(&arena, text, &mounts), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct mountinfo_line *m =
			mountinfo_of(&mounts, cases[i].path);

		assert_non_null(m);
		assert_int_equal(m->id, cases[i].id);
		assert_ptr_equal(m, mountinfo_by_id(&mounts, m->id));
		assert_string_equal(mountinfo_inner(&arena, m, cases[i].path),
				    cases[i].inner);
		assert_string_equal(mountinfo_outer(&arena, m, cases[i].inner),
				    cases[i].path);
	}
	assert_null(mountinfo_inner(&arena, &mounts.items[1], "/etc"));
	assert_null(mountinfo_outer(&arena, &mounts.items[2], "/srv/datas"));
	assert_null(mountinfo_by_id(&mounts, 7));
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
		cmocka_unit_test(devices_have_the_kernels_number),
		cmocka_unit_test(a_path_is_below_a_directory_or_not),
		cmocka_unit_test(a_path_is_translated_by_its_mount),
		cmocka_unit_test(our_own_root_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
