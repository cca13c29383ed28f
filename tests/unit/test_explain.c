/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_explain.c - explain makes the plan that `run` would walk. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/err.h"
#include "confine/host.h"
#include "runtime/diagnose/explain.h"
#include "runtime/plan/make.h"
#include "tests/unit/arena_state.h"

static bool plan_fails;

/* The linker puts this in place of the function itself. */
int __real_make_create(const struct make_input *in, struct plan *ret);
int __wrap_make_create(const struct make_input *in, struct plan *ret);

int __wrap_make_create(const struct make_input *in, struct plan *ret)
{
	return plan_fails ? fail(0, "a step is not possible") :
			    __real_make_create(in, ret);
}

#include <cmocka.h> /* late: its fail() is a macro */

#include "tests/unit/emulator.h"

static struct explanation explain(void **state)
{
	static const char *words[] = { "/bin/true", NULL };
	static const char *paths[] = { "/usr", NULL };
	struct request request = { 0 };
	struct host host = {
		.asked = UINT32_MAX & ~(uint32_t)HOST_LIMITS,
		.landlock = landlock_of_version(7),
		.may_mount = geteuid() == 0,
		.seccomp.works = true,
		.namespaces.works = true,
		.user_namespaces.works = true,
	};
	const struct session session = {
		.arena = *state,
		.host = &host,
		.root = "/nonexistent/state",
		.root_given = true,
		.rootless = -1,
	};
	struct explanation all;

	assert_int_equal(request_open(*state, &request), 0);
	request.name = "sandbox-1";
	request.command = (struct strings){ .items = words, .n = 1 };
	request.policy.set[KEY_READ] = true;
	request.policy.read = (struct strings){ .items = paths, .n = 1 };
	assert_int_equal(explain_make(*state, &session, &request, &all), 0);
	create_forget(&all.prepared);
	return all;
}

static void the_plan_is_made(void **state)
{
	struct explanation all;

	skip_in_emulator();
	plan_fails = false;
	all = explain(state);
	assert_null(all.refusal);
	assert_true(all.prepared.plan.nsteps > 0);
}

static void an_error_of_the_plan_is_the_refusal(void **state)
{
	struct explanation all;

	plan_fails = true;
	all = explain(state);
	assert_non_null(all.refusal);
	assert_string_equal(all.refusal, "a step is not possible");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(the_plan_is_made),
		arena_test(an_error_of_the_plan_is_the_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
