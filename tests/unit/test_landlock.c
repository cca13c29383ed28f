/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_landlock.c - what is asked of each version of Landlock, and
 * what is said to be missing.
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

#define NEWEST 10

/* On a kernel that has all that came with this version. */
static int plan_for(void **state, int abi, const struct landlock_want *want,
		    struct landlock_plan *ret)
{
	const struct landlock_host host = landlock_of_version(abi);

	return landlock_plan(*state, &host, want, ret);
}

static struct landlock_plan make(void **state, int abi,
				 const struct landlock_want *want)
{
	struct landlock_plan plan;
	int r = plan_for(state, abi, want, &plan);

	if (r < 0)
		print_error("%s\n", err_text());
	assert_int_equal(r, 0);
	return plan;
}

/* ---- versions ---- */

static const struct version {
	uint64_t fs, net, scoped;
	uint32_t flags;
	uint32_t missing;
	const char *first; /* that is missing */
} versions[] = {
	[1] = { 0x1fff, 0, 0, 0,
		NO_REFER | NO_TRUNCATE | NO_TCP | NO_IOCTL | NO_SCOPES,
		"fs_refer: requires Landlock version 2, but this kernel has "
		"version 1" },
	[2] = { 0x3fff, 0, 0, 0, NO_TRUNCATE | NO_TCP | NO_IOCTL | NO_SCOPES,
		"fs_truncate: requires Landlock version 3, but this kernel has "
		"version 2" },
	[3] = { 0x7fff, 0, 0, 0, NO_TCP | NO_IOCTL | NO_SCOPES,
		"net_tcp: requires Landlock version 4, but this kernel has "
		"version 3" },
	[4] = { 0x7fff, 3, 0, 0, NO_IOCTL | NO_SCOPES,
		"fs_ioctl_dev: requires Landlock version 5, but this kernel "
		"has version 4" },
	[5] = { 0xffff, 3, 0, 0, NO_SCOPES,
		"signal_scope: requires Landlock version 6, but this kernel "
		"has version 5" },
	[6] = { 0xffff, 3, 3, 0, 0, NULL },
	[7] = { 0xffff, 3, 3, 2, 0, NULL },
	[8] = { 0xffff, 3, 3, 2, 0, NULL },
	[9] = { 0x1ffff, 3, 3, 2, 0, NULL },
	[10] = { 0x1ffff, 3, 3, 2, 0, NULL },
	[11] = { 0x1ffff, 3, 3, 2, 0, NULL },
};

static void each_version_gets_all_that_it_knows(void **state)
{
	struct landlock_want want = everything();

	want.allow_degraded = ALL_PROTECTIONS;
	for (int abi = 1; abi < (int)COUNT(versions); abi++) {
		const struct version *v = &versions[abi];
		struct landlock_plan plan = make(state, abi, &want);

		assert_true(plan.needed);
		assert_int_equal(plan.handled.handled_fs, v->fs);
		assert_int_equal(plan.handled.handled_net, v->net);
		assert_int_equal(plan.handled.scoped, v->scoped);
		assert_int_equal(plan.flags, v->flags);
		assert_int_equal(plan.missing, v->missing);
		assert_int_equal(plan.disabled, 0);
		assert_int_equal(plan.nrules + plan.nports, 0);
	}
}

static void what_is_missing_is_an_error_that_names_it(void **state)
{
	for (int abi = 1; abi < (int)COUNT(versions); abi++) {
		struct landlock_want want = everything();
		const char *first = versions[abi].first;
		struct landlock_plan plan = { .nrules = 77 };
		int r;

		err_clear();
		r = plan_for(state, abi, &want, &plan);
		assert_int_equal(r, first ? -ENOTSUP : 0);
		if (first)
			assert_non_null(strstr(err_text(), first));
		assert_int_equal(plan.nrules, first ? 77 : 0);
	}
}

/* One is allowed to be missing: the error names the next. */
static void each_protection_is_degraded_by_itself(void **state)
{
	static const struct {
		int abi;
		uint32_t allowed;
		const char *text;
	} rows[] = {
		{ 1, NO_REFER, "fs_truncate" },
		{ 1, NO_REFER | NO_TRUNCATE, "net_tcp" },
		{ 1, NO_TRUNCATE | NO_TCP | NO_IOCTL | NO_SCOPES, "fs_refer" },
		{ 2, NO_TRUNCATE | NO_TCP, "fs_ioctl_dev" },
		{ 5, BIT(PROTECT_SIGNAL_SCOPE), "abstract_unix_socket_scope" },
		{ 5, BIT(PROTECT_ABSTRACT_SCOPE), "signal_scope" },
		{ 5, BIT(PROTECT_NAMESPACES), "signal_scope" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct landlock_want want = everything();
		struct landlock_plan plan;

		want.allow_degraded = rows[i].allowed;
		assert_int_equal(plan_for(state, rows[i].abi, &want, &plan),
				 -ENOTSUP);
		assert_int_equal(strncmp(err_text(), rows[i].text,
					 strlen(rows[i].text)),
				 0);
	}
}

/* Each by itself, on each version: an error, a report, or not a word. */
static void every_protection_on_every_version(void **state)
{
	static const struct {
		struct landlock_want want; /* that needs it and no other */
		enum policy_protection protection;
		int since;
	} rows[] = {
		{ { .files = true, .disable = NO_TRUNCATE | NO_IOCTL },
		  PROTECT_FS_REFER,
		  2 },
		{ { .files = true, .disable = NO_REFER | NO_IOCTL },
		  PROTECT_FS_TRUNCATE,
		  3 },
		{ { .files = true, .disable = NO_REFER | NO_TRUNCATE },
		  PROTECT_FS_IOCTL_DEV,
		  5 },
		{ { .binds = true }, PROTECT_NET_TCP, 4 },
		{ { .connects = true }, PROTECT_NET_TCP, 4 },
		{ { .signals = true }, PROTECT_SIGNAL_SCOPE, 6 },
		{ { .abstract_sockets = true }, PROTECT_ABSTRACT_SCOPE, 6 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int abi = rows[i].want.files; abi <= NEWEST; abi++) {
			uint32_t bit = BIT(rows[i].protection);
			bool lacks = abi < rows[i].since;
			struct landlock_want want = rows[i].want;
			struct landlock_plan plan;

			err_clear();
			assert_int_equal(plan_for(state, abi, &want, &plan),
					 lacks ? -ENOTSUP : 0);
			assert_int_equal(!!strstr(err_text(),
						  policy_protection_name(
							  rows[i].protection)),
					 lacks);
			want.allow_degraded = bit;
			plan = make(state, abi, &want);
			assert_int_equal(plan.missing, lacks ? bit : 0);
			assert_int_equal(plan.disabled, rows[i].want.disable);
			want.allow_degraded = 0;
			want.disable |= bit;
			plan = make(state, abi, &want);
			assert_int_equal(plan.missing, 0);
			assert_int_equal(plan.disabled, want.disable);
		}
}

/* In every version, and without an error where it is not available. */
static void what_is_disabled_is_not_held_anywhere(void **state)
{
	for (int abi = 1; abi <= NEWEST; abi++) {
		struct landlock_want want = everything();
		struct landlock_plan plan;

		want.disable = ALL_PROTECTIONS;
		plan = make(state, abi, &want);
		assert_int_equal(plan.missing, 0);
		assert_int_equal(plan.disabled, NO_REFER | NO_TRUNCATE |
							NO_TCP | NO_IOCTL |
							NO_SCOPES);
		assert_int_equal(plan.handled.handled_fs & 0xffff,
				 abi < 2 ? 0x1fff : 0x3fff);
		assert_int_equal(plan.handled.handled_net, 0);
		assert_int_equal(plan.handled.scoped, 0);
	}
}

static void moves_that_are_not_held_are_granted_everywhere(void **state)
{
	struct landlock_want want = { .files = true, .disable = NO_REFER };
	struct landlock_plan plan = make(state, NEWEST, &want);

	assert_int_equal(plan.nrules, 1);
	assert_string_equal(plan.rules[0].path, "/");
	assert_int_equal(plan.rules[0].access.directory,
			 LANDLOCK_ACCESS_FS_REFER);
	assert_int_equal(plan.rules[0].access.other, 0);

	want = (struct landlock_want){ .unix_sockets = true };
	plan = make(state, NEWEST, &want);
	assert_int_equal(plan.handled.handled_fs,
			 LANDLOCK_ACCESS_FS_RESOLVE_UNIX |
				 LANDLOCK_ACCESS_FS_REFER);
	assert_int_equal(plan.nrules, 1);

	want = (struct landlock_want){ .signals = true };
	plan = make(state, NEWEST, &want);
	assert_int_equal(plan.handled.handled_fs, 0);
	assert_int_equal(plan.nrules, 0);
}

/* Before, there is no rule that a kernel would refuse. */
static void sockets_are_judged_from_version_9_on(void **state)
{
	const uint64_t connect = LANDLOCK_ACCESS_FS_RESOLVE_UNIX;
	static const struct landlock_path paths[] = {
		{ .path = "/run/listed", .rights = LANDLOCK_MAY_CONNECT },
		{ .path = "/srv", .rights = LANDLOCK_MAY_READ },
		{ .path = "/own",
		  .rights = LANDLOCK_MAY_WRITE | LANDLOCK_MAY_CONNECT },
	};
	struct landlock_want want = {
		.files = true,
		.paths = paths,
		.npaths = COUNT(paths),
		.allow_degraded = ALL_PROTECTIONS,
	};

	for (int abi = 0; abi <= NEWEST; abi++) {
		const struct landlock_host host = landlock_of_version(abi);

		assert_int_equal(landlock_judges_sockets(&host), abi >= 9);
	}
	for (int abi = 1; abi <= NEWEST; abi++)
		for (int wanted = 0; wanted <= 1; wanted++) {
			struct landlock_plan plan;
			bool judged = wanted && abi >= 9;

			want.unix_sockets = wanted;
			plan = make(state, abi, &want);
			assert_int_equal(!!(plan.handled.handled_fs & connect),
					 judged);
			assert_int_equal(plan.nrules, judged ? 3 : 2);
			assert_string_equal(plan.rules[0].path,
					    judged ? "/run/listed" : "/srv");
			for (size_t i = 0; i < plan.nrules; i++)
				assert_int_equal(!!(plan.rules[i].access.other &
						    connect),
						 judged && i != 1);
		}
}

/* ---- no more than is wanted ---- */

static void only_what_is_wanted_can_be_missing(void **state)
{
	static const struct {
		struct landlock_want want;
		int enough; /* the version that has it all */
	} rows[] = {
		{ { .files = true }, 5 },
		{ { .files = true, .disable = NO_IOCTL }, 3 },
		{ { .files = true, .unix_sockets = true }, 5 },
		{ { .files = true, .log = true }, 5 },
		{ { .binds = true }, 4 },
		{ { .connects = true }, 4 },
		{ { .signals = true }, 6 },
		{ { .abstract_sockets = true }, 6 },
		{ { .unix_sockets = true }, 0 },
		{ { .log = true }, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int abi = 0; abi <= NEWEST; abi++) {
			struct landlock_plan plan;

			assert_int_equal(plan_for(state, abi, &rows[i].want,
						  &plan),
					 abi < rows[i].enough ? -ENOTSUP : 0);
		}
}

static void no_landlock_is_an_error_for_files_only(void **state)
{
	struct landlock_want want = { .files = true };
	struct landlock_plan plan;

	want.allow_degraded = ALL_PROTECTIONS;
	assert_int_equal(plan_for(state, 0, &want, &plan), -ENOTSUP);
	assert_non_null(
		strstr(err_text(),
		       "filesystem: Landlock is not available in this kernel"));
	want = everything();
	want.files = false;
	want.allow_degraded = ALL_PROTECTIONS;
	plan = make(state, 0, &want);
	assert_false(plan.needed);
	assert_int_equal(plan.missing, NO_TCP | NO_SCOPES);
}

/* ---- rights ---- */

#define FS(right) LANDLOCK_ACCESS_FS_##right
#define MAKE_ANY                                                       \
	(FS(MAKE_DIR) | FS(MAKE_REG) | FS(MAKE_SOCK) | FS(MAKE_FIFO) | \
	 FS(MAKE_SYM))
#define REMOVE_ANY (FS(REMOVE_DIR) | FS(REMOVE_FILE))

static const struct {
	uint32_t rights;
	uint64_t directory, other; /* of the newest version */
} rights[] = {
	{ LANDLOCK_MAY_READ, FS(READ_FILE) | FS(READ_DIR), FS(READ_FILE) },
	{ LANDLOCK_MAY_WRITE,
	  FS(WRITE_FILE) | FS(TRUNCATE) | FS(REFER) | MAKE_ANY | REMOVE_ANY,
	  FS(WRITE_FILE) | FS(TRUNCATE) },
	{ LANDLOCK_MAY_EXECUTE, FS(EXECUTE), FS(EXECUTE) },
	{ LANDLOCK_MAY_IOCTL, FS(IOCTL_DEV), FS(IOCTL_DEV) },
	{ LANDLOCK_MAY_MKNOD, FS(MAKE_CHAR) | FS(MAKE_BLOCK), 0 },
	{ LANDLOCK_MAY_CONNECT, FS(RESOLVE_UNIX), FS(RESOLVE_UNIX) },
	{ LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE,
	  FS(READ_FILE) | FS(READ_DIR) | FS(EXECUTE),
	  FS(READ_FILE) | FS(EXECUTE) },
	{ 0x3f, 0x1ffff,
	  FS(EXECUTE) | FS(WRITE_FILE) | FS(READ_FILE) | FS(TRUNCATE) |
		  FS(IOCTL_DEV) | FS(RESOLVE_UNIX) },
};

static void rights_become_what_the_version_knows(void **state)
{
	struct landlock_path paths[COUNT(rights)];
	struct landlock_want want = everything();

	want.allow_degraded = ALL_PROTECTIONS;
	want.paths = paths;
	want.npaths = COUNT(paths);
	for (size_t i = 0; i < COUNT(paths); i++)
		paths[i] = (struct landlock_path){ .path = "/usr",
						   .rights = rights[i].rights };
	for (int abi = 1; abi <= NEWEST; abi++) {
		struct landlock_plan plan = make(state, abi, &want);
		const struct landlock_rule *rule = plan.rules;

		for (size_t i = 0; i < COUNT(rights); i++) {
			uint64_t known = versions[abi].fs;

			if (!(rights[i].directory & known))
				continue;
			assert_string_equal(rule->path, "/usr");
			assert_int_equal(rule->access.directory,
					 rights[i].directory & known);
			assert_int_equal(rule->access.other,
					 rights[i].other & known);
			rule++;
		}
		assert_ptr_equal(rule, plan.rules + plan.nrules);
	}
}

/* ---- ports ---- */

static void every_port_is_a_rule(void **state)
{
	static const struct landlock_ports bind[] = {
		{ 0, 0 },
		{ 8000, 8002 },
		{ 65535, 65535 },
	};
	static const struct landlock_ports connect[] = { { 443, 443 } };
	static const uint64_t expected[][2] = {
		{ 1, 0 },    { 1, 8000 },  { 1, 8001 },
		{ 1, 8002 }, { 1, 65535 }, { 2, 443 },
	};
	struct landlock_want want = {
		.binds = true,
		.bind = bind,
		.nbind = COUNT(bind),
		.connects = true,
		.connect = connect,
		.nconnect = 1,
	};
	struct landlock_plan plan = make(state, 4, &want);

	assert_int_equal(plan.nports, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_int_equal(plan.ports[i].allowed, expected[i][0]);
		assert_int_equal(plan.ports[i].port, expected[i][1]);
	}
	want.allow_degraded = NO_TCP;
	assert_int_equal(make(state, 3, &want).nports, 0);
	want.binds = false;
	assert_int_equal(make(state, 4, &want).nports, 1);
}

static void too_many_ports_are_an_error(void **state)
{
	struct landlock_ports ports = { 1, LANDLOCK_MOST_PORTS };
	struct landlock_want want = { .binds = true,
				      .bind = &ports,
				      .nbind = 1 };
	struct landlock_plan plan = make(state, NEWEST, &want);

	assert_int_equal(plan.nports, LANDLOCK_MOST_PORTS);
	ports.last = 65535;
	assert_int_equal(plan_for(state, NEWEST, &want, &plan), -E2BIG);
	assert_non_null(strstr(err_text(), "network.bind: 65535 ports"));
	ports = (struct landlock_ports){ 2, 1 };
	assert_int_equal(plan_for(state, NEWEST, &want, &plan), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_gets_all_that_it_knows),
		cmocka_unit_test(what_is_missing_is_an_error_that_names_it),
		cmocka_unit_test(each_protection_is_degraded_by_itself),
		cmocka_unit_test(every_protection_on_every_version),
		cmocka_unit_test(what_is_disabled_is_not_held_anywhere),
		cmocka_unit_test(
			moves_that_are_not_held_are_granted_everywhere),
		cmocka_unit_test(sockets_are_judged_from_version_9_on),
		cmocka_unit_test(only_what_is_wanted_can_be_missing),
		cmocka_unit_test(no_landlock_is_an_error_for_files_only),
		cmocka_unit_test(rights_become_what_the_version_knows),
		cmocka_unit_test(every_port_is_a_rule),
		cmocka_unit_test(too_many_ports_are_an_error),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
