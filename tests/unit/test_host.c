/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_host.c - a fact is asked once, and never if it is known; what
 * a policy lets be missing in a container.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/proc.h"
#include "base/util.h"
#include "confine/host.h"
#include "confine/nested.h"
#include "policy/policy.h"
#include "tests/unit/arena_state.h"

#include <cmocka.h> /* late: its fail() is a macro */

#define WEAKER (1U << PROTECT_NAMESPACES | 1U << PROTECT_CGROUPS)

static void a_known_fact_is_not_asked(void **state)
{
	struct host host = {
		.asked = UINT32_MAX,
		.landlock.abi = 77,
		.in_userns = true,
		.may_mount = true,
		.container = "a mark",
	};
	const char *mark;

	bool in_userns = false;

	assert_int_equal(host_landlock(&host)->abi, 77);
	assert_true(host_may_mount(&host));
	assert_int_equal(host_in_userns(&host, -1, &in_userns), 0);
	assert_true(in_userns);
	assert_int_equal(host_container(*state, &host, &mark), 0);
	assert_string_equal(mark, "a mark");

	host = (struct host){ .asked = UINT32_MAX };
	assert_int_equal(host_landlock(&host)->abi, 0);
	assert_false(host_may_mount(&host));
	assert_int_equal(host_in_userns(&host, -1, &in_userns), 0);
	assert_false(in_userns);
	assert_int_equal(host_container(*state, &host, &mark), 0);
	assert_null(mark);
}

static void an_answer_is_remembered(void **state)
{
	struct host host = { 0 };
	bool in_userns, again;
	const char *mark;

	assert_int_equal(proc_in_userns(-1, &in_userns), 0);
	assert_int_equal(host_in_userns(&host, -1, &again), 0);
	assert_int_equal(in_userns, again);
	assert_int_equal(host.asked, HOST_IN_USERNS);
	host.in_userns = !in_userns;
	assert_int_equal(host_in_userns(&host, -1, &again), 0);
	assert_int_equal(again, !in_userns);

	(void)host_landlock(&host);
	assert_int_equal(host.asked, HOST_IN_USERNS | HOST_LANDLOCK);
	host.landlock.abi = 77;
	assert_int_equal(host_landlock(&host)->abi, 77);

	(void)host_may_mount(&host);
	assert_int_equal(host_container(*state, &host, &mark), 0);
	assert_int_equal(host.asked, HOST_IN_USERNS | HOST_LANDLOCK |
					     HOST_MAY_MOUNT | HOST_CONTAINER);
}

static void a_policy_is_weaker_only_in_a_container(void **state)
{
	static const struct {
		bool weaker_nested;
		const char *container;
		uint32_t disabled, strict;
		uint32_t degraded;
	} rows[] = {
		{ false, "a mark", 0, 0, 0 },
		{ true, NULL, 0, 0, 0 },
		{ true, "a mark", 0, 0, WEAKER },
		{ true, "a mark", 1U << PROTECT_CGROUPS, 0,
		  1U << PROTECT_NAMESPACES },
		{ true, "a mark", 0, 1U << PROTECT_NAMESPACES,
		  1U << PROTECT_CGROUPS },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host host = { .asked = UINT32_MAX,
				     .container = rows[i].container };
		struct policy policy = { .weaker_nested = rows[i].weaker_nested,
					 .disable = rows[i].disabled,
					 .strict = rows[i].strict };

		policy.origin[KEY_WEAKER_NESTED] = "the file";
		assert_int_equal(nested_weaken(*state, &host, &policy), 0);
		assert_int_equal(policy.allow_degraded, rows[i].degraded);
		assert_int_equal(policy.set[KEY_ALLOW_DEGRADED],
				 rows[i].degraded != 0);
		if (rows[i].degraded)
			assert_string_equal(policy.origin[KEY_ALLOW_DEGRADED],
					    "the file");
	}
}

/* A policy that does not ask costs nothing. */
static void nobody_looks_for_a_container_unasked(void **state)
{
	struct host host = { 0 };
	struct policy policy = { 0 };

	assert_int_equal(nested_weaken(*state, &host, &policy), 0);
	assert_int_equal(host.asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_fact_is_not_asked),
		cmocka_unit_test(an_answer_is_remembered),
		cmocka_unit_test(a_policy_is_weaker_only_in_a_container),
		cmocka_unit_test(nobody_looks_for_a_container_unasked),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
