/* SPDX-License-Identifier: Apache-2.0 */
/* confine/seccomp_order.c - order rules for one number as libseccomp does. */
#include "confine/seccomp_order.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

/* Check exact comparisons first, then upper bounds, then lower ones. */
static int rank(enum oci_seccomp_op op)
{
	switch (op) {
	case OCI_CMP_LT:
	case OCI_CMP_LE:
		return 2;
	case OCI_CMP_GE:
	case OCI_CMP_GT:
		return 1;
	case OCI_CMP_NE:
	case OCI_CMP_EQ:
	case OCI_CMP_MASKED_EQ:
		break;
	}
	return 3;
}

/*
 * libseccomp compares the high words first, and the low words if they are
 * equal.
 */
static bool ask_differently(const struct bpf_cmp *a, const struct bpf_cmp *b)
{
	return a->mask >> 32 != b->mask >> 32 ||
	       (!a->narrow &&
		(a->op == OCI_CMP_MASKED_EQ) != (b->op == OCI_CMP_MASKED_EQ));
}

/*
 * libseccomp's order of rules that may both match: later arguments before
 * earlier ones, then by rank, then the tighter bound; ties as written.
 */
static bool goes_before(const struct bpf_rule *later,
			const struct bpf_rule *earlier)
{
	for (size_t i = 0; i < later->ncmps && i < earlier->ncmps; i++) {
		const struct bpf_cmp *a = &later->cmps[i];
		const struct bpf_cmp *b = &earlier->cmps[i];

		if (a->arg != b->arg)
			return a->arg > b->arg;
		if (rank(a->op) != rank(b->op))
			return rank(a->op) > rank(b->op);
		if (a->value >> 32 == b->value >> 32 && ask_differently(a, b))
			return false;
		if (a->value != b->value)
			return (a->value > b->value) == (rank(a->op) != 2);
		if (a->op != b->op || a->mask != b->mask)
			return false;
	}
	return false;
}

int seccomp_order(struct arena *arena, const struct call *call,
		  struct bpf_range *range)
{
	const struct call_rule *next;
	struct bpf_rule *rules;
	size_t n = 0;

	for (next = call->first; next; next = next->next) {
		if (next->rule.ncmps == 0) {
			range->otherwise = next->rule.action;
			return 0;
		}
	}
	if (call->nrules > BPF_MAXINSNS) {
		fail(0,
		     "linux.seccomp.syscalls: %u rules for system call number "
		     "%u are more than the kernel's limit of %d",
		     call->nrules, call->number, BPF_MAXINSNS);
		return -E2BIG;
	}
	rules = arena_array(arena, call->nrules, sizeof *rules);
	if (!rules)
		return -ENOMEM;
	for (next = call->first; next; next = next->next, n++) {
		size_t at = 0;

		while (at < n && !goes_before(&next->rule, &rules[at]))
			at++;
		memmove(&rules[at + 1], &rules[at], (n - at) * sizeof *rules);
		rules[at] = next->rule;
	}
	range->rules = rules;
	range->nrules = n;
	return 0;
}
