/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_landlock_refused.c - kernels that report a version of
 * Landlock and refuse parts of it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/landlock.h"
#include "policy/policy.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/landlock_wanted.h"

#include <cmocka.h> /* late: its fail() is a macro */

static struct kernel_landlock_ruleset refused;
static int tries, error;

/* As the kernel: all of it or nothing. */
static int try_there(const struct kernel_landlock_ruleset *given)
{
	tries++;
	return given->handled_fs & refused.handled_fs ||
			       given->handled_net & refused.handled_net ||
			       given->scoped & refused.scoped ?
		       error :
		       0;
}

static void refused_rights_are_found_one_by_one(void **state)
{
	static const struct kernel_landlock_ruleset rows[] = {
		{ 0 },
		{ .scoped = 3 },
		{ .scoped = LANDLOCK_SCOPE_SIGNAL },
		{ .handled_net = LANDLOCK_ACCESS_NET_CONNECT_TCP },
		{ .handled_fs = LANDLOCK_ACCESS_FS_REFER },
		{ .handled_fs = LANDLOCK_ACCESS_FS_EXECUTE |
				LANDLOCK_ACCESS_FS_IOCTL_DEV,
		  .handled_net = 3,
		  .scoped = 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int how = 0; how < 2; how++) {
			struct landlock_host host = landlock_of_version(6);

			refused = rows[i];
			error = how ? EINVAL : E2BIG;
			tries = 0;
			landlock_try_rights(&host, try_there);
			/* One call where nothing is refused. */
			assert_int_equal(tries, i == 0 ? 1 : 1 + 16 + 2 + 2);
			assert_int_equal(host.abi, 6);
			assert_int_equal(host.rights.handled_fs,
					 0xffff & ~rows[i].handled_fs);
			assert_int_equal(host.rights.handled_net,
					 3 & ~rows[i].handled_net);
			assert_int_equal(host.rights.scoped,
					 3 & ~rows[i].scoped);
		}
}

/* No descriptor, no memory: the real ruleset will say so. */
static void other_errors_refuse_no_right(void **state)
{
	static const int errors[] = { EMFILE, ENFILE, ENOMEM, EPERM, EINTR };

	(void)state;
	refused = (struct kernel_landlock_ruleset){ .handled_fs = ~0ULL };
	for (size_t i = 0; i < COUNT(errors); i++) {
		struct landlock_host host = landlock_of_version(6);

		error = errors[i];
		landlock_try_rights(&host, try_there);
		assert_int_equal(host.rights.handled_fs, 0xffff);
		assert_int_equal(host.rights.scoped, 3);
	}
}

static uint32_t refused_flags;

static int try_flags_there(uint32_t flags)
{
	tries++;
	return flags & refused_flags ? error : EBADF;
}

static void refused_flags_are_found_one_by_one(void **state)
{
	static const struct {
		uint32_t flags, refused;
		int error;
		uint32_t left;
		int tries;
	} rows[] = {
		{ 0, 0, EINVAL, 0, 0 },
		{ 2, 0, EINVAL, 2, 1 },
		{ 2, 2, EINVAL, 0, 2 },
		{ 7, 0, EINVAL, 7, 1 },
		{ 7, 4, EINVAL, 3, 4 },
		{ 7, 5, EINVAL, 2, 4 },
		{ 7, 7, EINVAL, 0, 4 },
		{ 7, 7, ENOMEM, 7, 1 },
		{ 0x80000001, 1, EINVAL, 0x80000000, 3 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct landlock_host host = { .abi = 7,
					      .flags = rows[i].flags };

		refused_flags = rows[i].refused;
		error = rows[i].error;
		tries = 0;
		landlock_try_flags(&host, try_flags_there);
		assert_int_equal(host.flags, rows[i].left);
		assert_int_equal(tries, rows[i].tries);
	}
}

static void a_part_that_is_refused_is_missing_by_itself(void **state)
{
	struct landlock_host host = landlock_of_version(6);
	struct landlock_want want = everything();
	struct landlock_plan plan;

	host.rights.scoped = 0;
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), -ENOTSUP);
	assert_non_null(
		strstr(err_text(),
		       "signal_scope: this kernel has Landlock version 6, "
		       "but rejects the rights that this protection needs"));
	want.allow_degraded = NO_SCOPES;
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), 0);
	assert_int_equal(plan.missing, NO_SCOPES);
	assert_int_equal(plan.handled.scoped, 0);
	assert_int_equal(plan.handled.handled_fs, 0xffff);
	assert_int_equal(plan.handled.handled_net, 3);
	want.allow_degraded = 0;
	want.disable = NO_SCOPES;
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), 0);
	assert_int_equal(plan.missing, 0);
	assert_int_equal(plan.disabled, NO_SCOPES);

	/* A policy that does not need it misses nothing. */
	want = (struct landlock_want){ .files = true, .binds = true };
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), 0);
	assert_int_equal(plan.missing, 0);
}

static void half_of_a_part_is_enough_for_what_needs_no_more(void **state)
{
	struct landlock_host host = landlock_of_version(6);
	struct landlock_want want = { .binds = true };
	struct landlock_plan plan;

	host.rights.handled_net = LANDLOCK_ACCESS_NET_BIND_TCP;
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), 0);
	assert_int_equal(plan.handled.handled_net,
			 LANDLOCK_ACCESS_NET_BIND_TCP);
	want.connects = true;
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), -ENOTSUP);
	assert_non_null(strstr(err_text(), "net_tcp: "));
	want.allow_degraded = NO_TCP;
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), 0);
	assert_int_equal(plan.handled.handled_net, 0);
	assert_int_equal(plan.missing, NO_TCP);
}

/* No protection has a name for these. */
static void files_need_the_rights_of_version_1(void **state)
{
	struct landlock_host host = landlock_of_version(6);
	struct landlock_want want = { .files = true,
				      .allow_degraded = ALL_PROTECTIONS };
	struct landlock_plan plan;

	host.rights.handled_fs &= ~LANDLOCK_ACCESS_FS_MAKE_SYM;
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), -ENOTSUP);
	assert_non_null(strstr(err_text(), "filesystem: "));
	want = (struct landlock_want){ .signals = true };
	assert_int_equal(landlock_plan(*state, &host, &want, &plan), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_rights_are_found_one_by_one),
		cmocka_unit_test(other_errors_refuse_no_right),
		cmocka_unit_test(refused_flags_are_found_one_by_one),
		cmocka_unit_test(a_part_that_is_refused_is_missing_by_itself),
		cmocka_unit_test(
			half_of_a_part_is_enough_for_what_needs_no_more),
		cmocka_unit_test(files_need_the_rights_of_version_1),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
