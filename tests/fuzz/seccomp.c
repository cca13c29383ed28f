/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/seccomp.c - any linux.seccomp: its program beside the profile,
 * read rule by rule.
 *
 * Where rules for one call contradict each other any of those that hold will
 * do here; test_seccomp has libseccomp as the judge of that.
 */
#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>

#include "base/err.h"
#include "confine/confine.h"
#include "oci/parse.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/bpf_interpreter.h"

#define X32_BIT 0x40000000U
#define NEWER (SECCOMP_RET_ERRNO | ENOSYS)
#define MAX_CALLS 300 /* of one profile and architecture that are tried */

static const struct oci_seccomp *profile;
static struct confine_filter filter;

static int parse(struct arena *arena, const char *text, size_t len)
{
	const struct json_value *root;
	int r = json_parse(arena, text, len, &root);

	profile = NULL;
	if (r >= 0)
		r = oci_read_seccomp(arena, root, &profile);
	if (r < 0)
		return r;
	if (!profile)
		return fail(0, "none");
	return confine_seccomp(arena, profile, &filter);
}

/* As the kernel's checker has it: forward jumps only, inside, to a return. */
static void demand_valid(void)
{
	demand(filter.len > 0 && filter.len <= BPF_MAXINSNS);
	for (size_t i = 0; i < filter.len; i++) {
		const struct sock_filter *line = &filter.code[i];

		if (BPF_CLASS(line->code) != BPF_JMP)
			continue;
		if (line->code == (BPF_JMP | BPF_JA))
			demand(line->k < filter.len - i - 1);
		else
			demand((size_t)line->jt + 1 < filter.len - i &&
			       (size_t)line->jf + 1 < filter.len - i);
	}
	demand(BPF_CLASS(filter.code[filter.len - 1].code) == BPF_RET);
}

/* ---- the profile, read once more ---- */

static bool is_listed(uint32_t arch)
{
	if (arch == seccomp_arch_native())
		return true;
	for (size_t i = 0; i < profile->narchitectures; i++)
		if (profile->architectures[i] == arch)
			return true;
	return false;
}

static bool is_narrow(uint32_t arch)
{
	return !(arch & __AUDIT_ARCH_64BIT);
}

static bool holds(const struct oci_seccomp_arg *arg, uint32_t arch,
		  const struct seccomp_data *call)
{
	uint64_t word = is_narrow(arch) ? UINT32_MAX : UINT64_MAX;
	uint64_t value = call->args[arg->index] & word;
	uint64_t wanted = arg->value & word;

	switch (arg->op) {
	case OCI_CMP_NE:
		return value != wanted;
	case OCI_CMP_LT:
		return value < wanted;
	case OCI_CMP_LE:
		return value <= wanted;
	case OCI_CMP_EQ:
		return value == wanted;
	case OCI_CMP_GE:
		return value >= wanted;
	case OCI_CMP_GT:
		return value > wanted;
	case OCI_CMP_MASKED_EQ:
		return ((value ^ arg->value_two) & wanted) == 0;
	}
	return false;
}

static bool repeats(const struct oci_seccomp_rule *rule)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < rule->nargs; i++) {
		if (seen >> rule->args[i].index & 1)
			return true;
		seen |= 1U << rule->args[i].index;
	}
	return false;
}

static bool rule_holds(const struct oci_seccomp_rule *rule, uint32_t arch,
		       const struct seccomp_data *call)
{
	size_t n = 0;

	for (size_t i = 0; i < rule->nargs; i++)
		n += holds(&rule->args[i], arch, call);
	return repeats(rule) ? n > 0 : n == rule->nargs;
}

/* The number of a call as it is made directly; -1: not at all. */
static int number_of(uint32_t arch, const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(arch, name);

	return number < 0 ? -1 : number;
}

/* Parts of socketcall(2) and ipc(2), and those two: the unit tests have them. */
static bool is_multiplexed(uint32_t arch, const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(arch, name);

	return (number < 0 && number > -1000) || streq(name, "socketcall") ||
	       streq(name, "ipc");
}

static bool has_multiplexed(uint32_t arch)
{
	for (size_t i = 0; i < profile->nrules; i++)
		for (size_t j = 0; j < profile->rules[i].names.n; j++)
			if (is_multiplexed(arch,
					   profile->rules[i].names.items[j]))
				return true;
	return false;
}

static int largest(uint32_t arch)
{
	int most = -1;

	for (size_t i = 0; i < profile->nrules; i++)
		for (size_t j = 0; j < profile->rules[i].names.n; j++) {
			int n = number_of(arch,
					  profile->rules[i].names.items[j]);

			most = n > most ? n : most;
		}
	return most;
}

static bool names_call(const struct oci_seccomp_rule *rule, uint32_t arch,
		       int number)
{
	for (size_t i = 0; i < rule->names.n; i++)
		if (number_of(arch, rule->names.items[i]) == number)
			return true;
	return false;
}

/* Whether the profile may answer a call with this. */
static bool may_be(uint32_t arch, const struct seccomp_data *call,
		   uint32_t action, int newest)
{
	bool any = false;

	for (size_t i = 0; i < profile->nrules; i++) {
		const struct oci_seccomp_rule *rule = &profile->rules[i];

		if (rule->action == profile->default_action ||
		    !names_call(rule, arch, call->nr) ||
		    !rule_holds(rule, arch, call))
			continue;
		/* One that always holds is not overruled by any other. */
		if (rule->nargs == 0)
			return action == rule->action;
		any = true;
		if (action == rule->action)
			return true;
	}
	if (any)
		return false;
	if (newest >= 0 && call->nr > newest &&
	    (profile->default_action & SECCOMP_RET_ACTION_FULL) ==
		    SECCOMP_RET_ERRNO)
		return action == NEWER;
	return action == profile->default_action;
}

/* ---- calls that may show a difference ---- */

static uint64_t interesting(const struct oci_seccomp_rule *rule, uint32_t index,
			    uint32_t *seed)
{
	static const uint64_t odd[] = { 0, 1, UINT32_MAX, 1ULL << 32,
					UINT64_MAX };
	uint64_t value = 0;

	*seed = *seed * 1664525 + 1013904223;
	for (size_t i = 0; i < rule->nargs; i++)
		if (rule->args[i].index == index)
			value = rule->args[i].op == OCI_CMP_MASKED_EQ ?
					rule->args[i].value_two :
					rule->args[i].value;
	switch (*seed >> 8 & 7) {
	case 0:
		return value + 1;
	case 1:
		return value - 1;
	case 2:
		return value ^ 1ULL << (*seed >> 16 & 63);
	case 3:
		return odd[(*seed >> 16) % COUNT(odd)];
	default:
		return value;
	}
}

static void try_call(uint32_t arch, int number, int newest,
		     const struct oci_seccomp_rule *rule, uint32_t *seed)
{
	struct seccomp_data call = {
		.arch = arch == OCI_ARCH_X32 ? AUDIT_ARCH_X86_64 : arch,
		.nr = number,
	};

	for (uint32_t i = 0; i < COUNT(call.args); i++) {
		call.args[i] = interesting(rule, i, seed);
		if (is_narrow(arch))
			call.args[i] &= UINT32_MAX;
	}
	demand(may_be(arch, &call, bpf_run(filter.code, filter.len, &call),
		      newest));
}

static void try_arch(uint32_t arch)
{
	static const struct oci_seccomp_rule none = { .nargs = 0 };
	uint32_t seed = arch;
	int newest = largest(arch);
	int tries = 0;

	if (has_multiplexed(arch))
		return;
	for (size_t i = 0; i < profile->nrules; i++) {
		const struct oci_seccomp_rule *rule = &profile->rules[i];

		for (size_t j = 0; j < rule->names.n; j++) {
			int number = number_of(arch, rule->names.items[j]);

			for (int k = 0; number >= 0 && k < 6; k++)
				if (tries++ < MAX_CALLS)
					try_call(arch, number, newest, rule,
						 &seed);
			if (number >= 0)
				try_call(arch, number + 1, newest, rule, &seed);
		}
	}
	if (newest >= 0)
		try_call(arch, newest + 1, newest, &none, &seed);
}

static void accepted(struct arena *arena)
{
	static const uint32_t archs[] = {
		AUDIT_ARCH_X86_64,  AUDIT_ARCH_I386, OCI_ARCH_X32,
		AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM,  AUDIT_ARCH_RISCV64,
	};
	struct seccomp_data bad = { .arch = 0x12345678 };

	(void)arena;
	demand_valid();
	demand(bpf_run(filter.code, filter.len, &bad) ==
	       SECCOMP_RET_KILL_THREAD);
	for (size_t i = 0; i < COUNT(archs); i++) {
		bad.arch = archs[i];
		if (is_listed(archs[i]))
			try_arch(archs[i]);
		else if (archs[i] != OCI_ARCH_X32 &&
			 (archs[i] != AUDIT_ARCH_X86_64 ||
			  !is_listed(OCI_ARCH_X32)))
			demand(bpf_run(filter.code, filter.len, &bad) ==
			       SECCOMP_RET_KILL_THREAD);
	}
	if (is_listed(AUDIT_ARCH_X86_64) && !is_listed(OCI_ARCH_X32)) {
		bad = (struct seccomp_data){ .arch = AUDIT_ARCH_X86_64,
					     .nr = X32_BIT };
		demand(bpf_run(filter.code, filter.len, &bad) ==
		       SECCOMP_RET_KILL_THREAD);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
