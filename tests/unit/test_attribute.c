/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_attribute.c - what failed, and which key of the policy is why. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"
#include "tests/unit/attribute_scene.h"

/* ---- paths ---- */

static void judges_paths(void **state)
{
	static const struct {
		const char *path;
		uint32_t right;
		const char *reason; /* NULL: allowed */
	} rows[] = {
		{ "/usr/bin/ls", READ, NULL },
		{ "/usr/bin/ls", EXECUTE, NULL },
		{ "/usr/bin/ls", WRITE, "not in filesystem.write" },
		{ "/usrx", READ, "not in filesystem.read" },
		{ "/opt/x", EXECUTE, "not in filesystem.read" },
		{ "/home/u/.ssh/id", READ, "filesystem.deny: @known-secrets" },
		{ "/home/u/.ssh", WRITE, "filesystem.deny: @known-secrets" },
		{ "/home/u/.sshx", READ, NULL },
		{ "/home/u/src/a", WRITE, NULL },
		{ "/home/u/src/gen/a", WRITE, "filesystem.deny_write: gen" },
		{ "/home/u/src/gen/a", READ, NULL },
		{ "/home/u/src/uv.toml", READ, NULL },
		{ "/home/u/src/uv.toml", WRITE,
		  "it is the policy of the next run" },
		/* The exceptions of a preset. */
		{ "/etc/hosts", READ, NULL },
		{ "/etc/shadow", READ, "filesystem.read: @system" },
		{ "/data/x", READ, NULL },
		{ "/data/x", WRITE, "filesystem.mount: /data" },
		{ "/cache/x", WRITE, NULL },
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, "/");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct denial denial;
		bool refused = attribute_judge(&scene.attribution, rows[i].path,
					       rows[i].right, &denial);

		if (refused != (rows[i].reason != NULL))
			fail_msg("%s %u", rows[i].path, rows[i].right);
		if (refused)
			assert_string_equal(denial_reason(&arena, &denial),
					    rows[i].reason);
	}
	close(scene.attribution.root);
}

static void names_the_list_to_be_in(void **state)
{
	struct scene scene;
	struct denial denial;

	(void)state;
	open_scene(&scene, "/");
	scene.policy.set[KEY_EXECUTE] = true;
	assert_true(attribute_judge(&scene.attribution, "/opt/x", EXECUTE,
				    &denial));
	assert_string_equal(denial.key, "filesystem.execute");
	assert_null(denial.item);
	close(scene.attribution.root);
}

static void asks_what_the_host_has(void **state)
{
	static const struct {
		struct {
			const char *path;
			uint32_t rights;
			int error;
			bool makes, link;
		} wanted;
		const char *told;
	} rows[] = {
		{ { "/opt/tool", READ, ENOENT, false, false },
		  "denied: read /opt/tool (not in filesystem.read); "
		  "to allow it: -r /opt/tool\n" },
		/* Not there anyway. */
		{ { "/opt/none", READ, ENOENT, false, false }, "" },
		{ { "/none/none", WRITE, ENOENT, true, false }, "" },
		/* It could have been made. */
		{ { "/opt/new", WRITE, ENOENT, true, true },
		  "denied: write /opt/new (not in filesystem.write); "
		  "to allow it: -w /opt\n" },
		{ { "/opt/new/", WRITE, ENOENT, true, true },
		  "denied: write /opt/new (not in filesystem.write); "
		  "to allow it: -w /opt\n" },
		/* Denied by name, and not there anyway. */
		{ { "/home/u/.ssh/none", READ, ENOENT, false, false }, "" },
		{ { "/home/u/.ssh/new", WRITE, ENOENT, true, true },
		  "denied: write /home/u/.ssh/new "
		  "(filesystem.deny: @known-secrets); to allow it: "
		  "remove --filesystem-deny @known-secrets, and add "
		  "-w /home/u/.ssh\n" },
		/* By a link, or around. */
		{ { "/usr/link", READ, ENOENT, false, false },
		  "denied: read /home/u/.ssh/id "
		  "(filesystem.deny: @known-secrets); to allow it: "
		  "remove --filesystem-deny @known-secrets\n" },
		{ { "/usr/link", READ, ENOENT, false, true }, "" },
		{ { "/usr/../opt/./tool", READ, ENOENT, false, false },
		  "denied: read /opt/tool (not in filesystem.read); "
		  "to allow it: -r /opt/tool\n" },
		/* The policy allows it: permissions, or another error. */
		{ { "/etc/hosts", READ, EACCES, false, false }, "" },
		{ { "/opt/tool", READ, EINVAL, false, false }, "" },
		{ { "/opt/tool", READ, ELOOP, false, false }, "" },
		{ { "opt/tool", READ, ENOENT, false, false }, "" },
		/* Both are missing: the right to write includes reading. */
		{ { "/opt/tool", READ | WRITE, ENOENT, false, false },
		  "denied: write /opt/tool (not in "
		  "filesystem.write); to allow it: -w /opt/tool\n" },
		{ { "/etc/hosts", READ | WRITE, EROFS, false, false },
		  "denied: write /etc/hosts (not in "
		  "filesystem.write); to allow it: -w /etc/hosts\n" },
		/* Its own. */
		{ { "/dev/mem", READ, ENOENT, false, false },
		  "denied: read /dev/mem (the sandbox has its own /dev); "
		  "no flag allows it\n" },
		{ { "/dev/dri/card0", READ | WRITE, ENOENT, false, false },
		  "denied: write /dev/dri/card0 (not in "
		  "limits.gpu_devices); to allow it: --gpu 0\n" },
		{ { "/dev/none", READ, ENOENT, false, false }, "" },
		{ { "/dev/mem", READ, EACCES, false, false }, "" },
		{ { "/proc/99/environ", READ, ENOENT, false, false }, "" },
		{ { "/proc/sys/kernel/x", WRITE, EROFS, false, false },
		  "denied: write /proc/sys/kernel/x "
		  "(the sandbox has its own /proc); no flag allows it\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct attribute_path wanted = {
			.path = rows[i].wanted.path,
			.rights = rows[i].wanted.rights,
			.error = rows[i].wanted.error,
			.makes = rows[i].wanted.makes,
			.link = rows[i].wanted.link,
		};
		struct scene scene;

		open_scene(&scene, folder);
		assert_int_equal(attribute_file(&scene.attribution, &wanted),
				 0);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void finds_who_loads_a_program(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, folder);
	assert_int_equal(attribute_program(&scene.attribution,
					   "/usr/bin/script", ENOENT),
			 0);
	assert_int_equal(attribute_program(&scene.attribution, "/opt/tool",
					   ENOENT),
			 0);
	assert_int_equal(attribute_program(&scene.attribution, "/usr/bin/no",
					   ENOENT),
			 0);
	assert_string_equal(
		told(&scene),
		"denied: execute /lib/loader (not in filesystem.read); "
		"to allow it: -r @system\n"
		"denied: execute /opt/tool (not in filesystem.read); "
		"to allow it: -r /opt/tool\n");
}

/* ---- the list ---- */

static void lists_once_and_tames(void **state)
{
	const struct denial rude = {
		.operation = "read",
		.target = "/a\033[2J\n\\b\xc2\x9b\xc3\xa9",
		.note = "why",
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, "/");
	assert_int_equal(denials_add(&scene.denials, &rude), 0);
	assert_int_equal(denials_add(&scene.denials, &rude), 0);
	assert_string_equal(told(&scene),
			    "denied: read /a\\x1b[2J\\x0a\\x5cb\\xc2\\x9b"
			    "\xc3\xa9 (why)\n");
}

static void stops_at_a_thousand(void **state)
{
	struct scene scene;
	char name[16];

	(void)state;
	open_scene(&scene, "/");
	for (int i = 0; i < 1005; i++) {
		const struct denial denial = { .operation = "read",
					       .target = name,
					       .note = "why" };

		snprintf(name, sizeof name, "/%d", i);
		assert_int_equal(denials_add(&scene.denials, &denial), 0);
	}
	assert_int_equal(scene.denials.n, 1000);
	assert_int_equal(scene.denials.more, 5);
	close(scene.attribution.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_paths),
		cmocka_unit_test(names_the_list_to_be_in),
		cmocka_unit_test(asks_what_the_host_has),
		cmocka_unit_test(finds_who_loads_a_program),
		cmocka_unit_test(lists_once_and_tames),
		cmocka_unit_test(stops_at_a_thousand),
	};

	return cmocka_run_group_tests(tests, prepare, clear);
}
