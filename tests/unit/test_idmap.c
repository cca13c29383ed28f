/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_idmap.c - id maps: text, defaults, a real namespace. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/util.h"
#include "runtime/launch/idmap.h"

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

static void one_line_for_each_range(void **state)
{
	static const struct oci_id_map items[] = {
		{ 0, 1000, 1 },
		{ 1, 100000, 65536 },
		{ 70000, 4294967294U, 1 },
	};
	static const char *const texts[] = {
		"",
		"0 1000 1\n",
		"0 1000 1\n1 100000 65536\n",
		"0 1000 1\n1 100000 65536\n70000 4294967294 1\n",
	};
	char text[IDMAP_TEXT];

	(void)state;
	for (size_t n = 0; n < COUNT(texts); n++) {
		struct oci_id_maps maps = { items, n };

		assert_int_equal(idmap_format(&maps, text), 0);
		assert_string_equal(text, texts[n]);
	}
}

static void more_than_the_kernel_takes_is_refused(void **state)
{
	static struct oci_id_map items[400];
	struct oci_id_maps maps = { items, COUNT(items) };
	char text[IDMAP_TEXT];

	(void)state;
	for (size_t i = 0; i < COUNT(items); i++)
		items[i] = (struct oci_id_map){ 100000, 100000, 1 };
	assert_int_equal(idmap_format(&maps, text), -E2BIG);
	assert_string_equal(
		err_text(),
		"400 id mappings are too many: they must fit into 4096 bytes");
}

static void identity_covers_what_we_have(void **state)
{
	struct oci_id_maps maps = { 0 };
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 65536), 0);
	assert_int_equal(idmap_identity(&arena,
					"         0       1000          1\n"
					"         1     100000      65536\n",
					&maps),
			 0);
	assert_int_equal(maps.n, 2);
	assert_int_equal(maps.items[0].host_id, 0);
	assert_int_equal(maps.items[1].container_id, 1);
	assert_int_equal(maps.items[1].host_id, 1);
	assert_int_equal(maps.items[1].size, 65536);
	assert_int_equal(idmap_identity(&arena, "what\n", &maps), -EINVAL);
	arena_close(&arena);
}

static void defaults_fill_what_is_empty(void **state)
{
	static const struct oci_id_map given = { 0, 7, 1 };
	struct oci_id_maps uids = { 0 }, gids = { &given, 1 };
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 65536), 0);
	assert_int_equal(idmap_default(&arena, -1, 1000, 1001, &uids, &gids),
			 0);
	assert_int_equal(uids.n, 1);
	assert_int_equal(uids.items[0].host_id, 1000);
	assert_int_equal(uids.items[0].container_id, 0);
	assert_int_equal(gids.items[0].host_id, 7);
	uids = gids = (struct oci_id_maps){ 0 };
	assert_int_equal(idmap_default(&arena, -1, 1000, 0, &uids, &gids), 0);
	assert_int_equal(gids.items[0].size, 1);
	arena_close(&arena);
}

static void root_gets_every_id_of_ours(void **state)
{
	struct oci_id_maps uids = { 0 }, gids = { 0 };
	int proc = proc_open();
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 65536), 0);
	assert_int_equal(idmap_default(&arena, proc, 0, 0, &uids, &gids), 0);
	assert_true(uids.n > 0 && gids.n > 0);
	assert_int_equal(uids.items[0].host_id, uids.items[0].container_id);
	close(proc);
	arena_close(&arena);
}

static pid_t sleep_in_user_namespace(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWUSER) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static void writes_the_maps_of_a_namespace(void **state)
{
	struct oci_id_map uid = { 0, geteuid(), 1 }, gid = { 0, getegid(), 1 };
	struct oci_id_maps uids = { &uid, 1 }, gids = { &gid, 1 };
	int proc = proc_open();
	pid_t pid = sleep_in_user_namespace();
	unsigned int inside, outside, size;
	char name[64], *text;
	struct arena arena;

	(void)state;
	if (pid < 0) {
		print_message("needs a user namespace\n");
		skip();
	}
	assert_int_equal(arena_open(&arena, 65536), 0);
	assert_int_equal(idmap_write(proc, pid, &uids, &gids,
				     /* privileged= */ false),
			 0);
	snprintf(name, sizeof name, "%d/uid_map", pid);
	assert_int_equal(io_read_at(&arena, proc, name, 4096, &text), 0);
	assert_int_equal(sscanf(text, "%u %u %u", &inside, &outside, &size), 3);
	assert_int_equal(inside, 0);
	assert_int_equal(outside, geteuid());
	snprintf(name, sizeof name, "%d/setgroups", pid);
	assert_int_equal(io_read_at(&arena, proc, name, 4096, &text), 0);
	assert_string_equal(text, "deny");
	assert_int_equal(idmap_write(proc, pid, &uids, &gids, true), -EPERM);
	assert_non_null(strstr(err_text(), "linux.gidMappings: write '0 "));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(proc);
	arena_close(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_for_each_range),
		cmocka_unit_test(more_than_the_kernel_takes_is_refused),
		cmocka_unit_test(identity_covers_what_we_have),
		cmocka_unit_test(defaults_fill_what_is_empty),
		cmocka_unit_test(root_gets_every_id_of_ours),
		cmocka_unit_test(writes_the_maps_of_a_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
