/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_decide.c - every policy on every host: which sandbox it gets,
 * what it does without, and why it is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/host.h"
#include "runtime/sandbox/decide.h"
#include "tests/unit/arena_state.h"

#include <cmocka.h> /* late: its fail() is a macro */

#define BIT(protection) (1U << (protection))
#define NAMESPACES BIT(PROTECT_NAMESPACES)
#define CGROUPS BIT(PROTECT_CGROUPS)
#define SCOPES (BIT(PROTECT_SIGNAL_SCOPE) | BIT(PROTECT_ABSTRACT_SCOPE))
#define FS                                                  \
	(BIT(PROTECT_FS_REFER) | BIT(PROTECT_FS_TRUNCATE) | \
	 BIT(PROTECT_FS_IOCTL_DEV))
#define ALL_LIMITS ((1U << HOST_LIMITS_COUNT) - 1)

/* ---- hosts ---- */

enum {
	ROOT,
	ROOT_NO_CGROUPS,
	ROOT_NO_NAMESPACES,
	USER,
	USER_CGROUPS,
	USER_NO_NAMESPACES,
	NO_LANDLOCK,
	NO_LANDLOCK_NO_NAMESPACES,
	OLD_LANDLOCK_NO_NAMESPACES,
	ODD_LANDLOCK_NO_NAMESPACES, /* version 6 that refuses scopes */
	HOSTS,
};

static const struct {
	bool may_mount, namespaces, user_namespaces;
	uint32_t limits;
	int landlock;
	bool refuses_scopes;
} hosts[HOSTS] = {
	[ROOT] = { true, true, true, ALL_LIMITS, 7, false },
	[ROOT_NO_CGROUPS] = { true, true, true, 0, 7, false },
	[ROOT_NO_NAMESPACES] = { true, false, false, ALL_LIMITS, 7, false },
	[USER] = { false, false, true, 0, 7, false },
	[USER_CGROUPS] = { false, false, true, ALL_LIMITS, 7, false },
	[USER_NO_NAMESPACES] = { false, false, false, 0, 7, false },
	[NO_LANDLOCK] = { true, true, true, ALL_LIMITS, 0, false },
	[NO_LANDLOCK_NO_NAMESPACES] = { false, false, false, 0, 0, false },
	[OLD_LANDLOCK_NO_NAMESPACES] = { false, false, false, 0, 1, false },
	[ODD_LANDLOCK_NO_NAMESPACES] = { false, false, false, 0, 6, true },
};

static struct host make_host(size_t i)
{
	struct host host = {
		.asked = UINT32_MAX,
		.landlock = landlock_of_version(hosts[i].landlock),
		.may_mount = hosts[i].may_mount,
		.namespaces.works = hosts[i].namespaces,
		.user_namespaces.works = hosts[i].user_namespaces,
		.limits = hosts[i].limits,
	};

	if (hosts[i].refuses_scopes)
		host.landlock.rights.scoped = 0;
	return host;
}

/* ---- policies ---- */

enum {
	PLAIN,
	MEMORY,
	TASKS,
	UID,
	OPEN,
	EXECUTE,
	POLICIES,
};

static struct policy make_policy(size_t i, uint32_t degraded, uint32_t disabled)
{
	struct policy policy = { .allow_degraded = degraded,
				 .disable = disabled };

	policy.set[KEY_MEMORY] = i == MEMORY;
	policy.set[KEY_TASKS] = i == TASKS;
	policy.set[KEY_UID] = i == UID;
	policy.set[KEY_EXECUTE] = i == EXECUTE;
	if (i == OPEN)
		policy.mode = POLICY_MODE_OPEN;
	return policy;
}

/* ---- the table ---- */

enum kind { REFUSED, NO_NAMESPACES, NO_CGROUPS, FULL };

struct row {
	uint32_t degraded, disabled; /* of the policy */
	enum kind kind[POLICIES];
	uint32_t missing;    /* wherever it is not refused, and PLAIN */
	const char *refusal; /* of the first that is refused */
};

#define NEEDS " cannot be enforced without"
#define NO_LIMIT "controller of cgroups is not available (run"

static const struct {
	int host;
	struct row row;
} rows[] = {
	{ ROOT,
	  { 0, 0, { FULL, FULL, FULL, NO_CGROUPS, FULL, FULL }, 0, NULL } },
	/* In a user namespace of its own only a limit needs cgroups. */
	{ ROOT,
	  { 0,
	    CGROUPS,
	    { NO_CGROUPS, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS,
	      NO_CGROUPS },
	    0,
	    NULL } },
	{ ROOT,
	  { 0,
	    NAMESPACES,
	    { NO_NAMESPACES, REFUSED, REFUSED, REFUSED, NO_NAMESPACES,
	      NO_NAMESPACES },
	    0,
	    "config.disable: limits.memory" NEEDS } },
	{ ROOT,
	  { 0,
	    NAMESPACES | CGROUPS,
	    { NO_NAMESPACES, NO_NAMESPACES, NO_NAMESPACES, REFUSED,
	      NO_NAMESPACES, NO_NAMESPACES },
	    0,
	    "config.disable: program.uid" NEEDS } },
	{ ROOT_NO_CGROUPS,
	  { 0,
	    0,
	    { REFUSED, REFUSED, REFUSED, NO_CGROUPS, REFUSED, REFUSED },
	    0,
	    "limits.tasks: the pids " NO_LIMIT } },
	{ ROOT_NO_CGROUPS,
	  { CGROUPS,
	    0,
	    { NO_CGROUPS, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS,
	      NO_CGROUPS },
	    CGROUPS,
	    NULL } },
	{ ROOT_NO_NAMESPACES,
	  { 0,
	    0,
	    { NO_NAMESPACES, REFUSED, REFUSED, REFUSED, NO_NAMESPACES,
	      NO_NAMESPACES },
	    NAMESPACES,
	    "limits.memory" NEEDS } },
	{ ROOT_NO_NAMESPACES,
	  { NAMESPACES,
	    0,
	    { NO_NAMESPACES, NO_NAMESPACES, NO_NAMESPACES, REFUSED,
	      NO_NAMESPACES, NO_NAMESPACES },
	    NAMESPACES,
	    "program.uid" NEEDS } },
	{ USER,
	  { 0,
	    0,
	    { NO_CGROUPS, REFUSED, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS,
	      NO_CGROUPS },
	    0,
	    "limits.memory: the memory " NO_LIMIT } },
	{ USER,
	  { CGROUPS,
	    0,
	    { NO_CGROUPS, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS,
	      NO_CGROUPS },
	    0,
	    NULL } },
	{ USER_CGROUPS,
	  { 0,
	    0,
	    { NO_CGROUPS, FULL, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS, NO_CGROUPS },
	    0,
	    NULL } },
	{ USER_NO_NAMESPACES,
	  { CGROUPS,
	    0,
	    { NO_NAMESPACES, NO_NAMESPACES, NO_NAMESPACES, REFUSED,
	      NO_NAMESPACES, NO_NAMESPACES },
	    NAMESPACES,
	    "user namespaces are not" } },
	/* Mounts and namespaces do most of it. */
	{ NO_LANDLOCK,
	  { 0,
	    0,
	    { FULL, FULL, FULL, NO_CGROUPS, REFUSED, REFUSED },
	    0,
	    "abstract_unix_socket_scope: requires Landlock version 6" } },
	{ NO_LANDLOCK,
	  { SCOPES,
	    0,
	    { FULL, FULL, FULL, NO_CGROUPS, FULL, REFUSED },
	    0,
	    "filesystem: Landlock is not available in this kernel" } },
	{ NO_LANDLOCK_NO_NAMESPACES,
	  { UINT32_MAX,
	    0,
	    { REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED },
	    0,
	    "filesystem: Landlock is not available in this kernel" } },
	{ OLD_LANDLOCK_NO_NAMESPACES,
	  { 0,
	    0,
	    { REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED },
	    0,
	    "fs_refer: requires Landlock version 2" } },
	{ OLD_LANDLOCK_NO_NAMESPACES,
	  { FS | SCOPES | CGROUPS,
	    0,
	    { NO_NAMESPACES, NO_NAMESPACES, NO_NAMESPACES, REFUSED,
	      NO_NAMESPACES, NO_NAMESPACES },
	    NAMESPACES | FS | SCOPES,
	    "program.uid" NEEDS } },
	{ ODD_LANDLOCK_NO_NAMESPACES,
	  { FS,
	    0,
	    { REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED },
	    0,
	    "signal_scope: this kernel has Landlock version 6, but" } },
	{ ODD_LANDLOCK_NO_NAMESPACES,
	  { SCOPES | CGROUPS,
	    0,
	    { NO_NAMESPACES, NO_NAMESPACES, NO_NAMESPACES, REFUSED,
	      NO_NAMESPACES, NO_NAMESPACES },
	    NAMESPACES | SCOPES,
	    "program.uid" NEEDS } },
	{ ODD_LANDLOCK_NO_NAMESPACES,
	  { CGROUPS,
	    SCOPES,
	    { NO_NAMESPACES, NO_NAMESPACES, NO_NAMESPACES, REFUSED,
	      NO_NAMESPACES, NO_NAMESPACES },
	    NAMESPACES,
	    "program.uid" NEEDS } },
};

static enum kind kind_of(const struct decision *d)
{
	if (d->refusal)
		return REFUSED;
	if (d->no_namespaces)
		return NO_NAMESPACES;
	return d->cgroups ? FULL : NO_CGROUPS;
}

static void every_policy_on_every_host(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i].row;
		const char *refusal = row->refusal;

		for (size_t p = 0; p < POLICIES; p++) {
			struct host host = make_host((size_t)rows[i].host);
			struct policy policy =
				make_policy(p, row->degraded, row->disabled);
			struct decision d;

			assert_int_equal(decide(*state, &policy, &host, &d), 0);
			if (kind_of(&d) != row->kind[p])
				print_error("row %zu, policy %zu: %s\n", i, p,
					    d.refusal ? d.refusal : "runs");
			assert_int_equal(kind_of(&d), row->kind[p]);
			assert_int_equal(d.assumed, 0);
			assert_int_equal(d.own_users,
					 !host.may_mount || p == UID);
			if (p == PLAIN && !d.refusal)
				assert_int_equal(d.missing, row->missing);
			if (d.refusal && refusal) {
				assert_non_null(strstr(d.refusal, refusal));
				refusal = NULL;
			}
			/* A disabled protection is never missing. */
			assert_int_equal(d.missing & row->disabled, 0);
		}
		assert_int_equal(row->refusal == NULL, refusal == row->refusal);
	}
}

/* ---- limits that are lost ---- */

static void lost_limits_are_listed(void **state)
{
	static const struct {
		int host;
		int policy;
		uint32_t degraded, disabled;
		enum policy_key lost; /* KEY_COUNT: none */
		bool missing;	      /* cgroups */
	} table[] = {
		{ ROOT, MEMORY, 0, 0, KEY_COUNT, false },
		{ ROOT_NO_CGROUPS, PLAIN, CGROUPS, 0, KEY_TASKS, true },
		{ ROOT, PLAIN, 0, CGROUPS, KEY_COUNT, false },
		{ ROOT, TASKS, 0, CGROUPS, KEY_TASKS, false },
		{ ROOT, MEMORY, 0, CGROUPS, KEY_MEMORY, false },
		{ USER, PLAIN, 0, 0, KEY_COUNT, false },
		{ USER, TASKS, 0, 0, KEY_COUNT, false },
		{ USER, MEMORY, CGROUPS, 0, KEY_MEMORY, true },
		{ USER_NO_NAMESPACES, PLAIN, 0, 0, KEY_COUNT, false },
		{ USER_NO_NAMESPACES, TASKS, NAMESPACES, 0, KEY_TASKS, true },
		{ USER_NO_NAMESPACES, TASKS, CGROUPS, 0, KEY_TASKS, true },
		{ USER_NO_NAMESPACES, TASKS, 0, CGROUPS, KEY_TASKS, false },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		struct host host = make_host((size_t)table[i].host);
		struct policy policy = make_policy((size_t)table[i].policy,
						   table[i].degraded,
						   table[i].disabled);
		struct decision d;

		assert_int_equal(decide(*state, &policy, &host, &d), 0);
		assert_null(d.refusal);
		for (enum policy_key key = 0; key < KEY_COUNT; key++)
			assert_int_equal(d.lost[key], key == table[i].lost);
		assert_int_equal(!!(d.missing & CGROUPS), table[i].missing);
	}
}

/* ---- facts that are not known ---- */

static void unknown_facts_are_assumed(void **state)
{
	static const struct {
		int host;
		int policy;
		uint32_t disabled;
		uint32_t assumed;
	} table[] = {
		{ ROOT, PLAIN, 0, HOST_NAMESPACES | HOST_LIMITS },
		{ ROOT, UID, 0, HOST_USER_NAMESPACES },
		{ ROOT, PLAIN, CGROUPS, HOST_NAMESPACES },
		{ ROOT, PLAIN, NAMESPACES, 0 },
		{ USER, PLAIN, 0, HOST_USER_NAMESPACES },
		{ USER, MEMORY, 0, HOST_USER_NAMESPACES | HOST_LIMITS },
		{ USER_NO_NAMESPACES, PLAIN, 0, HOST_USER_NAMESPACES },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		struct host host = make_host((size_t)table[i].host);
		struct policy policy = make_policy((size_t)table[i].policy, 0,
						   table[i].disabled);
		struct decision d;

		host.asked = HOST_LANDLOCK | HOST_MAY_MOUNT;
		assert_int_equal(decide(*state, &policy, &host, &d), 0);
		assert_null(d.refusal);
		assert_int_equal(d.assumed, table[i].assumed);
		assert_int_equal(d.no_namespaces,
				 !!(table[i].disabled & NAMESPACES));
		/* To decide is not to ask. */
		assert_int_equal(host.asked, HOST_LANDLOCK | HOST_MAY_MOUNT);
	}
}

static void sockets_that_landlock_judges_need_no_namespaces(void **state)
{
	for (int abi = 6; abi <= 9; abi += 3) {
		struct host host = make_host(USER_NO_NAMESPACES);
		struct policy policy = make_policy(PLAIN, 0, 0);
		struct decision d;

		host.landlock = landlock_of_version(abi);
		policy.set[KEY_UNIX] = true;
		assert_int_equal(decide(*state, &policy, &host, &d), 0);
		assert_int_equal(d.needs_namespaces, abi < 9);
		assert_int_equal(d.refusal != NULL, abi < 9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_policy_on_every_host),
		cmocka_unit_test(lost_limits_are_listed),
		cmocka_unit_test(unknown_facts_are_assumed),
		cmocka_unit_test(
			sockets_that_landlock_judges_need_no_namespaces),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
