/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_seccomp.c - our seccomp programs against libseccomp's, call
 * by call.
 */
#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/confine.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/bpf_interpreter.h"

#include <cmocka.h> /* late: its fail() is a macro */

#include "tests/unit/seccomp_oracle.h"
#include "tests/unit/seccomp_profiles.h"

static double microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void engine_profiles_agree_with_libseccomp(void **state)
{
	struct arena *arena = *state;
	struct oci_seccomp profile = engine_profile(arena);
	struct confine_filter filter;
	double begin;

	profile.architectures = all_arm;
	for (size_t n = 1; n <= COUNT(all_arm); n++) {
		profile.narchitectures = n;
		assert_int_equal(judge(arena, &profile, /* tries= */ 10), 0);
	}
	profile.architectures = all_x86;
	for (size_t n = 0; n <= COUNT(all_x86); n++) {
		profile.narchitectures = n;
		assert_int_equal(judge(arena, &profile, /* tries= */ 10), 0);
	}
	profile.default_action = SECCOMP_RET_TRAP;
	assert_int_equal(judge(arena, &profile, /* tries= */ 10), 0);
	begin = microseconds();
	assert_int_equal(confine_seccomp(arena, &profile, &filter), 0);
	print_message("%zu names, %zu architectures: %zu instructions, "
		      "%.0f us\n",
		      profile.rules[0].names.n, profile.narchitectures,
		      filter.len, microseconds() - begin);
	assert_true(filter.len < 1000);
}

/* Other word sizes, carriers and first numbers, though of our byte order. */
static void foreign_architectures_agree_with_libseccomp(void **state)
{
	static const struct {
		uint32_t arch;
		uint32_t base;
	} archs[] = {
		{ AUDIT_ARCH_AARCH64, 0 },	  { AUDIT_ARCH_ARM, 0 },
		{ AUDIT_ARCH_PPC64LE, 0 },	  { AUDIT_ARCH_RISCV64, 0 },
		{ AUDIT_ARCH_MIPSEL, 4000 },	  { AUDIT_ARCH_MIPSEL64, 5000 },
		{ AUDIT_ARCH_MIPSEL64N32, 6000 },
	};
	struct oci_seccomp profile = engine_profile(*state);
	struct confine_filter ours;
	struct program theirs;
	size_t n = 0;

	for (size_t i = 0; i < COUNT(archs); i++) {
		profile.architectures = &archs[i].arch;
		profile.narchitectures = 1;
		assert_int_equal(oracle(&profile, &theirs), 0);
		assert_int_equal(confine_seccomp(*state, &profile, &ours), 0);
		for (uint32_t nr = 0; nr < 600; nr++)
			compare_call(&profile, &ours, &theirs, archs[i].arch,
				     archs[i].base + nr, /* tries= */ 5, &n);
		compare_call(&profile, &ours, &theirs, archs[i].arch, 983041,
			     /* tries= */ 5, &n);
	}
	assert_int_equal(n, 0);
}

/* Give back what one round of a loop took. */
static void rewind_arena(struct arena *arena, size_t used)
{
	memset(arena->memory + used, 0, arena->used - used);
	arena->used = used;
}

static void single_rules_agree_with_libseccomp(void **state)
{
	struct arena *arena = *state;
	uint32_t seed = 1;

	for (int i = 0; i < 40; i++) {
		struct oci_seccomp_rule rules[COUNT(some_names)];
		size_t used = arena->used;
		struct oci_seccomp profile = {
			.default_action = some_actions[roll(&seed, 4)],
			.architectures = FAMILY,
			.narchitectures = roll(&seed, COUNT(FAMILY) + 1),
			.rules = rules,
			.nrules = COUNT(rules),
		};

		for (size_t name = 0; name < COUNT(rules); name++)
			rules[name] = random_rule(arena, &seed, name, false);
		assert_int_equal(judge(arena, &profile, /* tries= */ 25), 0);
		rewind_arena(arena, used);
	}
}

/*
 * Two rules for one call that may both hold and say different things. Left
 * out are two NE, where libseccomp's answer depends on the high word.
 */
static void contradictions_are_decided_as_by_libseccomp(void **state)
{
	struct arena *arena = *state;
	uint32_t seed = 3;
	int judged = 0;

	for (int i = 0; i < 200; i++) {
		size_t used = arena->used;
		struct oci_seccomp_rule rules[] = {
			{ NAMES("read"), ERRNO(5), ARGS({ 0 }) },
			{ NAMES("read"), ERRNO(6), ARGS({ 0 }) },
		};
		struct oci_seccomp profile = {
			.default_action = SECCOMP_RET_TRAP,
			.architectures = FAMILY,
			.narchitectures = COUNT(FAMILY),
			.rules = rules,
			.nrules = COUNT(rules),
		};
		struct oci_seccomp_arg args[COUNT(rules)];

		for (size_t j = 0; j < COUNT(rules); j++) {
			args[j] = random_arg(&seed, roll(&seed, 2));
			args[j].value &= UINT32_MAX;
			args[j].value_two &= UINT32_MAX;
			rules[j].args = &args[j];
		}
		if (args[0].op != OCI_CMP_NE || args[1].op != OCI_CMP_NE)
			judged += judge(arena, &profile, /* tries= */ 5) == 0;
		rewind_arena(arena, used);
	}
	assert_true(judged > 150);
}

/* ---- what a profile means, said once more in plain C ---- */

static bool holds(const struct oci_seccomp_arg *arg,
		  const struct seccomp_data *call)
{
	uint64_t value = call->args[arg->index];

	switch (arg->op) {
	case OCI_CMP_NE:
		return value != arg->value;
	case OCI_CMP_LT:
		return value < arg->value;
	case OCI_CMP_LE:
		return value <= arg->value;
	case OCI_CMP_EQ:
		return value == arg->value;
	case OCI_CMP_GE:
		return value >= arg->value;
	case OCI_CMP_GT:
		return value > arg->value;
	case OCI_CMP_MASKED_EQ:
		return ((value ^ arg->value_two) & arg->value) == 0;
	}
	return false;
}

static bool rule_holds(const struct oci_seccomp_rule *rule,
		       const struct seccomp_data *call)
{
	size_t n = 0;

	for (size_t i = 0; i < rule->nargs; i++)
		n += holds(&rule->args[i], call);
	return repeats(rule) ? n > 0 : n == rule->nargs;
}

static uint32_t meaning(const struct oci_seccomp *profile,
			const struct seccomp_data *call)
{
	for (size_t i = 0; i < profile->nrules; i++) {
		const struct oci_seccomp_rule *rule = &profile->rules[i];

		if (rule->action != profile->default_action &&
		    seccomp_syscall_resolve_name(rule->names.items[0]) ==
			    call->nr &&
		    rule_holds(rule, call))
			return rule->action;
	}
	return profile->default_action;
}

/* libseccomp 2.5 errs, or never returns, with many rules for one call. */
static void many_rules_mean_what_they_say(void **state)
{
	struct arena *arena = *state;
	uint32_t seed = 2;

	for (int i = 0; i < 150; i++) {
		struct oci_seccomp_rule rules[30];
		size_t used = arena->used;
		struct oci_seccomp profile = {
			.default_action = some_actions[3 * (i % 2)],
			.rules = rules,
			.nrules = COUNT(rules),
		};
		struct confine_filter filter;

		for (size_t j = 0; j < COUNT(rules); j++)
			rules[j] = random_rule(arena, &seed,
					       roll(&seed, COUNT(some_names)),
					       true);
		assert_int_equal(confine_seccomp(arena, &profile, &filter), 0);
		for (int j = 0; j < 2000; j++) {
			struct seccomp_data call = { .arch = NATIVE };
			const char *name =
				some_names[roll(&seed, COUNT(some_names))];

			call.nr = seccomp_syscall_resolve_name(name);
			for (size_t k = 0; k < COUNT(call.args); k++)
				call.args[k] = interesting(&profile, &seed);
			if (call.nr >= 0)
				assert_int_equal(bpf_run(filter.code,
							 filter.len, &call),
						 meaning(&profile, &call));
		}
		rewind_arena(arena, used);
	}
}

/* ---- single promises ---- */

static const struct {
	const char *what;
	struct oci_seccomp profile;
	uint32_t arch;
	uint32_t nr;
	uint64_t arg;
	uint32_t action;
} promises[] = {
	{ "newer than the profile",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("read", "close_range"), ALLOW, NULL, 0 }) },
	  NATIVE,
	  437,
	  0,
	  ERRNO(ENOSYS) },
	{ "older than the newest one named",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("read", "close_range"), ALLOW, NULL, 0 }) },
	  NATIVE,
	  435,
	  0,
	  ERRNO(EPERM) },
	{ "newest, named with the default action",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("read"), ALLOW, NULL, 0 },
		  { NAMES("openat2"), ERRNO(EPERM), NULL, 0 }) },
	  NATIVE,
	  437,
	  0,
	  ERRNO(EPERM) },
	{ "newer, but the default is not an errno",
	  { .default_action = SECCOMP_RET_KILL_PROCESS,
	    RULES({ NAMES("read"), ALLOW, NULL, 0 }) },
	  NATIVE,
	  437,
	  0,
	  SECCOMP_RET_KILL_PROCESS },
	{ "no known name at all",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("no_such_call"), ALLOW, NULL, 0 }) },
	  NATIVE,
	  437,
	  0,
	  ERRNO(EPERM) },
	{ "newer on x32",
	  { .default_action = ERRNO(EPERM),
	    .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("read"), ALLOW, NULL, 0 }) },
	  AUDIT_ARCH_X86_64,
	  X32_BIT | 437,
	  0,
	  ERRNO(ENOSYS) },
	{ "x32 when not listed",
	  { .default_action = ALLOW },
	  AUDIT_ARCH_X86_64,
	  X32_BIT,
	  0,
	  SECCOMP_RET_KILL_THREAD },
	{ "no call at all",
	  { .default_action = ALLOW },
	  NATIVE,
	  UINT32_MAX,
	  0,
	  ALLOW },
	{ "i386 when not listed",
	  { .default_action = ALLOW },
	  AUDIT_ARCH_I386,
	  3,
	  0,
	  SECCOMP_RET_KILL_THREAD },
	{ "socket through socketcall",
	  { .default_action = ALLOW,
	    .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("socket"), ERRNO(1), NULL, 0 }) },
	  AUDIT_ARCH_I386,
	  102,
	  1,
	  ERRNO(1) },
	{ "socket itself",
	  { .default_action = ALLOW,
	    .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("socket"), ERRNO(1), NULL, 0 }) },
	  AUDIT_ARCH_I386,
	  359,
	  7,
	  ERRNO(1) },
	{ "something else through socketcall",
	  { .default_action = ALLOW,
	    .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("socket"), ERRNO(1), NULL, 0 }) },
	  AUDIT_ARCH_I386,
	  102,
	  2,
	  ALLOW },
	{ "the first unconditional rule wins",
	  { .default_action = ALLOW,
	    RULES({ NAMES("read"), ERRNO(1), ARGS({ .op = OCI_CMP_EQ }) },
		  { NAMES("read"), ERRNO(2), NULL, 0 },
		  { NAMES("read"), ERRNO(3), NULL, 0 }) },
	  NATIVE,
	  SYS_read,
	  0,
	  ERRNO(2) },
	{ "a mask of nothing is no condition",
	  { .default_action = ALLOW,
	    RULES({ NAMES("read"), ERRNO(1),
		    ARGS({ .op = OCI_CMP_MASKED_EQ, .value_two = 1 }) }) },
	  NATIVE,
	  SYS_read,
	  5,
	  ERRNO(1) },
	{ "an architecture libseccomp does not know",
	  { .default_action = ALLOW,
	    .architectures = (uint32_t[]){ 0x1234 },
	    .narchitectures = 1 },
	  0x1234,
	  0,
	  0,
	  SECCOMP_RET_KILL_THREAD },
};

static void promises_are_kept(void **state)
{
	for (size_t i = 0; i < COUNT(promises); i++) {
		struct seccomp_data call = {
			.arch = promises[i].arch,
			.nr = (int)promises[i].nr,
			.args = { promises[i].arg },
		};
		struct confine_filter filter;
		uint32_t action;

		assert_int_equal(confine_seccomp(*state, &promises[i].profile,
						 &filter),
				 0);
		action = bpf_run(filter.code, filter.len, &call);
		if (action != promises[i].action)
			print_error("%s\n", promises[i].what);
		assert_int_equal(action, promises[i].action);
	}
}

static const struct {
	bool has_flags;
	uint32_t flags;
	uint32_t action;
	uint32_t expected;
	bool notifies;
} flag_cases[] = {
	{ false, 0, ALLOW, SECCOMP_FILTER_FLAG_SPEC_ALLOW, false },
	{ true, 0, ALLOW, 0, false },
	{ true, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG, ALLOW,
	  SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG, false },
	{ true, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG,
	  SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_LOG, true },
	{ true, 1U << 5, ALLOW, 0, false },
	{ true, 1U << 5, SECCOMP_RET_USER_NOTIF, 1U << 5, true },
};

static void flags_fit_the_filter(void **state)
{
	for (size_t i = 0; i < COUNT(flag_cases); i++) {
		struct oci_seccomp profile = {
			.default_action = ERRNO(1),
			.has_flags = flag_cases[i].has_flags,
			.flags = flag_cases[i].flags,
			RULES({ NAMES("read"), flag_cases[i].action, NULL, 0 }),
		};
		struct confine_filter filter;

		assert_int_equal(confine_seccomp(*state, &profile, &filter), 0);
		assert_int_equal(filter.flags, flag_cases[i].expected);
		assert_int_equal(filter.notifies, flag_cases[i].notifies);
	}
}

static void an_argument_that_does_not_exist_is_an_error(void **state)
{
	struct oci_seccomp profile = {
		.default_action = ALLOW,
		RULES({ NAMES("read"), ERRNO(1), ARGS({ .index = 6 }) }),
	};
	struct confine_filter filter;

	err_clear();
	assert_int_equal(confine_seccomp(*state, &profile, &filter), -EINVAL);
	assert_non_null(strstr(err_text(), "args[0].index: 6"));
}

static void words_end_with_null(void **state)
{
	const struct strings lists[] = {
		confine_seccomp_actions(),
		confine_seccomp_operators(),
		confine_seccomp_archs(),
		confine_seccomp_known_flags(),
		confine_seccomp_supported_flags(),
	};
	unsigned int major;

	for (size_t i = 0; i < COUNT(lists); i++) {
		assert_true(lists[i].n > 0);
		assert_null(lists[i].items[lists[i].n]);
	}
	assert_int_equal(sscanf(confine_libseccomp_version(*state), "%u.",
				&major),
			 1);
	assert_true(major >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine_profiles_agree_with_libseccomp),
		cmocka_unit_test(foreign_architectures_agree_with_libseccomp),
		cmocka_unit_test(single_rules_agree_with_libseccomp),
		cmocka_unit_test(contradictions_are_decided_as_by_libseccomp),
		cmocka_unit_test(many_rules_mean_what_they_say),
		cmocka_unit_test(promises_are_kept),
		cmocka_unit_test(flags_fit_the_filter),
		cmocka_unit_test(an_argument_that_does_not_exist_is_an_error),
		cmocka_unit_test(words_end_with_null),
	};

	/* The tables above know the numbers of these only. */
	if (seccomp_arch_native() != NATIVE)
		return 77;
	/* libseccomp would ask an emulator what the kernel can. */
	(void)seccomp_api_set(4);
	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
