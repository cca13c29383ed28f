/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_check.c - check reports as enforced only what run enforces,
 * with every version of Landlock.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/host.h"
#include "runtime/diagnose/check.h"
#include "tests/unit/arena_state.h"

#include <cmocka.h> /* late: its fail() is a macro */

static struct host make_host(int landlock, bool namespaces)
{
	return (struct host){
		.asked = UINT32_MAX,
		.landlock = landlock_of_version(landlock),
		.may_mount = true,
		.seccomp.works = true,
		.namespaces = { namespaces, "make namespaces", EPERM },
		.limits = UINT32_MAX,
	};
}

static void landlock_is_reported_by_version(void **state)
{
	static const struct {
		int version;
		bool namespaces;
		const char *text;
	} rows[] = {
		{ 1, true,
		  "version 1; not enforced: net_tcp, "
		  "abstract_unix_socket_scope; enforced by namespaces and "
		  "mounts: fs_refer, fs_truncate, fs_ioctl_dev, "
		  "signal_scope" },
		{ 5, true,
		  "version 5; not enforced: abstract_unix_socket_scope; "
		  "enforced by namespaces and mounts: signal_scope" },
		{ 5, false,
		  "version 5; not enforced: signal_scope, "
		  "abstract_unix_socket_scope" },
		{ 6, true, "version 6" },
		{ 6, false, "version 6" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host host =
			make_host(rows[i].version, rows[i].namespaces);
		struct check check;

		assert_int_equal(check_look(*state, &host, &check), 0);
		assert_string_equal(check.parts[CHECK_LANDLOCK].text,
				    rows[i].text);
	}
}

/* No policy loses a protection that check reports as enforced. */
static void check_says_no_more_than_decide(void **state)
{
	for (int version = 1; version <= 7; version++) {
		for (enum policy_mode mode = POLICY_MODE_DENY;
		     mode <= POLICY_MODE_OPEN; mode++) {
			const struct policy policy = {
				.allow_degraded = UINT32_MAX,
				.mode = mode,
			};
			struct host host = make_host(version, true);
			struct decision decision;
			struct check check;

			assert_int_equal(decide(*state, &policy, &host,
						&decision),
					 0);
			assert_int_equal(check_look(*state, &host, &check), 0);
			assert_int_equal(decision.missing & ~check.missing, 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(landlock_is_reported_by_version),
		cmocka_unit_test(check_says_no_more_than_decide),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
