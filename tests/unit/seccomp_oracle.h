/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/seccomp_oracle.h - libseccomp's programs beside ours. */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/util.h"
#include "confine/confine.h"
#include "tests/unit/bpf_interpreter.h"
#include "tests/unit/seccomp_profiles.h"

struct program {
	struct sock_filter code[BPF_MAXINSNS];
	size_t len;
};

/* ---- libseccomp's program for the same profile ---- */

static int oracle_add(scmp_filter_ctx ctx, const struct oci_seccomp_rule *rule,
		      const struct oci_seccomp_arg *args, size_t n)
{
	static const enum scmp_compare ops[] = {
		[OCI_CMP_NE] = SCMP_CMP_NE,
		[OCI_CMP_LT] = SCMP_CMP_LT,
		[OCI_CMP_LE] = SCMP_CMP_LE,
		[OCI_CMP_EQ] = SCMP_CMP_EQ,
		[OCI_CMP_GE] = SCMP_CMP_GE,
		[OCI_CMP_GT] = SCMP_CMP_GT,
		[OCI_CMP_MASKED_EQ] = SCMP_CMP_MASKED_EQ,
	};
	struct scmp_arg_cmp cmps[6];

	for (size_t i = 0; i < n; i++)
		cmps[i] = (struct scmp_arg_cmp){
			args[i].index,
			ops[args[i].op],
			args[i].value,
			args[i].value_two,
		};
	for (size_t i = 0; i < rule->names.n; i++) {
		int nr = seccomp_syscall_resolve_name(rule->names.items[i]);
		int r = 0;

		if (nr != __NR_SCMP_ERROR)
			r = seccomp_rule_add_array(ctx, rule->action, nr,
						   (unsigned int)n, cmps);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool repeats(const struct oci_seccomp_rule *rule)
{
	for (size_t i = 0; i < rule->nargs; i++)
		for (size_t j = 0; j < i; j++)
			if (rule->args[i].index == rule->args[j].index)
				return true;
	return false;
}

static int oracle_rules(scmp_filter_ctx ctx, const struct oci_seccomp *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->nrules && r == 0; i++) {
		const struct oci_seccomp_rule *rule = &profile->rules[i];

		if (rule->action == profile->default_action)
			continue;
		if (!repeats(rule)) {
			r = oracle_add(ctx, rule, rule->args, rule->nargs);
			continue;
		}
		for (size_t j = 0; j < rule->nargs && r == 0; j++)
			r = oracle_add(ctx, rule, &rule->args[j], 1);
	}
	return r;
}

static void releasep(scmp_filter_ctx *ctx)
{
	seccomp_release(*ctx);
}

/* -EEXIST when libseccomp sees a contradiction it does not want to decide. */
static int oracle(const struct oci_seccomp *profile, struct program *ret)
{
	AUTO(releasep)
	scmp_filter_ctx ctx = seccomp_init(profile->default_action);
	autoclose int fd = memfd_create("oracle", MFD_CLOEXEC);
	ssize_t n;
	int r;

	assert_non_null(ctx);
	for (size_t i = 0; i < profile->narchitectures; i++)
		(void)seccomp_arch_add(ctx, profile->architectures[i]);
	r = oracle_rules(ctx, profile);
	if (r < 0)
		return r;
	assert_int_equal(seccomp_export_bpf(ctx, fd), 0);
	n = pread(fd, ret->code, sizeof ret->code, 0);
	assert_true(n > 0);
	ret->len = (size_t)n / sizeof *ret->code;
	return 0;
}

/* ---- comparing ---- */

/* The largest number named, for calls that have one of their own. */
static int largest(const struct oci_seccomp *profile, uint32_t arch)
{
	int most = -1;

	for (size_t i = 0; i < profile->nrules; i++) {
		const struct strings *names = &profile->rules[i].names;

		for (size_t j = 0; j < names->n; j++) {
			int nr = seccomp_syscall_resolve_name_arch(
				arch, names->items[j]);

			most = nr > most ? nr : most;
		}
	}
	return most;
}

static bool is_newer(const struct oci_seccomp *profile,
		     const struct seccomp_data *call)
{
	uint32_t arch = call->arch;

	if (arch == AUDIT_ARCH_X86_64 && (uint32_t)call->nr >= X32_BIT)
		arch = OCI_ARCH_X32;
	return (uint32_t)call->nr > (uint32_t)largest(profile, arch);
}

static bool same(const struct oci_seccomp *profile,
		 const struct confine_filter *ours,
		 const struct program *theirs, const struct seccomp_data *call)
{
	uint32_t a = bpf_run(ours->code, ours->len, call);
	uint32_t b = bpf_run(theirs->code, theirs->len, call);

	if (a == b)
		return true;
	if (a == ERRNO(ENOSYS) && b == profile->default_action &&
	    is_newer(profile, call))
		return true;
	print_error("arch %x nr %x args %llx %llx %llx %llx %llx %llx: "
		    "ours %x theirs %x\n",
		    call->arch, (unsigned int)call->nr, call->args[0],
		    call->args[1], call->args[2], call->args[3], call->args[4],
		    call->args[5], a, b);
	return false;
}

/* Values around those the profile compares with, in both words. */
static uint64_t interesting(const struct oci_seccomp *profile, uint32_t *seed)
{
	static const uint64_t odd[] = { 0,	    1,		UINT32_MAX,
					1ULL << 32, UINT64_MAX, 1ULL << 31 };
	const struct oci_seccomp_rule *rule;
	const struct oci_seccomp_arg *arg;
	uint64_t value;

	rule = &profile->rules[roll(seed, (uint32_t)profile->nrules)];
	if (!rule->nargs || roll(seed, 8) == 0)
		return odd[roll(seed, COUNT(odd))];
	arg = &rule->args[roll(seed, (uint32_t)rule->nargs)];
	value = arg->op == OCI_CMP_MASKED_EQ ? arg->value_two : arg->value;
	value += roll(seed, 3) - 1ULL;
	if (roll(seed, 4) == 0)
		value ^= 1ULL << roll(seed, 64);
	return value;
}

static void compare_call(const struct oci_seccomp *profile,
			 const struct confine_filter *ours,
			 const struct program *theirs, uint32_t arch,
			 uint32_t nr, int tries, size_t *differences)
{
	struct seccomp_data call = { .arch = arch, .nr = (int)nr };
	uint32_t seed = nr ^ arch;

	if (getenv("SANDLOCK_EMULATED"))
		tries = 1;
	for (int i = 0; i < tries; i++) {
		for (size_t j = 0; j < COUNT(call.args); j++)
			call.args[j] = interesting(profile, &seed);
		*differences += !same(profile, ours, theirs, &call);
	}
}

static size_t differences(const struct oci_seccomp *profile,
			  const struct confine_filter *ours,
			  const struct program *theirs, int tries)
{
	static const uint32_t archs[] = {
		AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64,
		AUDIT_ARCH_ARM,	   OCI_ARCH_X32,    0,
		UINT32_MAX,
	};
	static const uint32_t odd[] = { UINT32_MAX, UINT32_MAX - 1, X32_BIT - 1,
					1U << 31,   983041,	    0x7fffffff };
	size_t n = 0;

	for (size_t a = 0; a < COUNT(archs); a++) {
		for (uint32_t nr = 0; nr < 600; nr++) {
			compare_call(profile, ours, theirs, archs[a], nr, tries,
				     &n);
			compare_call(profile, ours, theirs, archs[a],
				     nr | X32_BIT, tries, &n);
		}
		for (size_t i = 0; i < COUNT(odd); i++)
			compare_call(profile, ours, theirs, archs[a], odd[i],
				     tries, &n);
	}
	return n;
}

/* 0: the same; 1: cannot be compared. */
static int judge(struct arena *arena, const struct oci_seccomp *profile,
		 int tries)
{
	struct confine_filter ours;
	struct program theirs;
	int r = oracle(profile, &theirs);

	if (r == -EEXIST)
		return 1;
	assert_int_equal(r, 0);
	assert_int_equal(confine_seccomp(arena, profile, &ours), 0);
	assert_int_equal(differences(profile, &ours, &theirs, tries), 0);
	return 0;
}
