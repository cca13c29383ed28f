/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_external.c - which mounts are the host's, and why criu failed. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mountinfo.h"
#include "base/util.h"
#include "runtime/checkpoint/criu.h"
#include "runtime/checkpoint/external.h"
#include "tests/unit/arena_state.h"

static void paths_are_below_directories(void **state)
{
	static const struct {
		const char *path, *directory, *below;
	} cases[] = {
		{ "/a/b", "/a", "/b" },	     { "/a", "/a", "" },
		{ "/ab", "/a", NULL },	     { "/a", "/a/b", NULL },
		{ "/a/b/c", "/", "/a/b/c" }, { "/", "/", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *below =
			external_below(cases[i].path, cases[i].directory);

		if (!cases[i].below)
			assert_null(below);
		else
			assert_string_equal(below, cases[i].below);
	}
}

static void mounts_have_the_name_of_their_place(void **state)
{
	struct external_place items[] = {
		{ "/dev/null", "/dev/null", EXTERNAL_NODE },
		{ "/run/data", "/var/run/data", EXTERNAL_BIND },
		{ "/run/data/tmp", "/run/data/tmp", EXTERNAL_NOT },
		{ "/sys/fs/cgroup", "/sys/fs/cgroup", EXTERNAL_CGROUP },
		{ "/twice", "/twice", EXTERNAL_BIND },
		{ "/twice", "/twice", EXTERNAL_NOT },
		{ "/proc/keys", "/dev/null", EXTERNAL_NODE },
		{ "/proc/acpi", "/dev/null", EXTERNAL_NODE },
	};
	const struct external_places places = { items, COUNT(items) };
	static const struct {
		const char *path, *type, *root, *name;
	} cases[] = {
		{ "/", "ext4", "/", NULL },
		{ "/run", "tmpfs", "/", NULL },
		{ "/run/data", "ext4", "/", "/var/run/data" },
		{ "/run/data/sub", "xfs", "/", "/var/run/data/sub" },
		{ "/run/data/tmp", "tmpfs", "/", NULL },
		{ "/run/data/tmp/deep", "tmpfs", "/", NULL },
		{ "/run/database", "ext4", "/", NULL },
		{ "/sys/fs/cgroup", "tmpfs", "/", NULL },
		{ "/sys/fs/cgroup", "cgroup2", "/", "/sys/fs/cgroup" },
		{ "/sys/fs/cgroup/pids", "cgroup", "/", "/sys/fs/cgroup/pids" },
		{ "/twice", "ext4", "/", NULL },
		{ "/dev/null", "devtmpfs", "/null", "/dev/null" },
		{ "/proc/keys", "devtmpfs", "/null", "/dev/null" },
		{ "/dev/null", "tmpfs", "/null", "/dev/null" },
		{ "/proc/keys", "tmpfs", "/null", "/dev/null" },
		{ "/proc/acpi", "tmpfs", "/", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct mountinfo_line mount = { .root = cases[i].root,
						      .point = cases[i].path,
						      .type = cases[i].type };
		const char *name = external_name(*state, &places, &mount);

		if (!cases[i].name)
			assert_null(name);
		else
			assert_string_equal(name, cases[i].name);
	}
}

static const char *errors_of(struct arena *arena, const char *log)
{
	char path[] = "/tmp/test_external.XXXXXX";
	int fd = mkstemp(path);
	const char *errors;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, log, strlen(log)), strlen(log));
	errors = criu_log_errors(arena, AT_FDCWD, path);
	close(fd);
	unlink(path);
	return errors;
}

static void the_last_errors_are_told(void **state)
{
	assert_string_equal(errors_of(*state, ""), "");
	assert_string_equal(errors_of(*state, "(00.1) pie: Error\nWarn (x): y"),
			    "");
	assert_string_equal(
		errors_of(*state,
			  "(00.01) Error (criu/a.c:1): one\n"
			  "(00.02)      1: Error (criu/b.c:2): two\n"
			  "(00.03) Error (criu/cr-dump.c:3): Dumping FAILED.\n"),
		"one; two");
	assert_string_equal(errors_of(*state, "Error (a): 1\nError (a): 2\n"
					      "Error (a): 3\nError (a): 4\n"),
			    "2; 3; 4");
	assert_string_equal(criu_log_errors(*state, AT_FDCWD, "/nonexistent"),
			    "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_below_directories),
		cmocka_unit_test(mounts_have_the_name_of_their_place),
		cmocka_unit_test(the_last_errors_are_told),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
