/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/bpf.c - compile tables of call numbers to one classic BPF program.
 *
 * The program is written from its end to its beginning. Jumps only go forward,
 * so every target exists before the jump to it. If a target is too far for a
 * conditional jump, an unconditional jump to it is added nearby. A label is the
 * number of instructions from its target to the end.
 */
#include "confine/bpf.h"

#include <endian.h>
#include <errno.h>
#include <linux/seccomp.h>

#include "base/arena.h"
#include "base/err.h"

#define REACH 255 /* of the 8 bits of a conditional jump */
#define SHARED_ACTIONS 8

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define LOW_WORD 0
#define HIGH_WORD 4
#else
#define LOW_WORD 4
#define HIGH_WORD 0
#endif

struct program {
	struct sock_filter *end;
	size_t len;
	bool too_long;
	/* The latest instructions that return an action, for reuse. */
	struct {
		uint32_t action;
		size_t label;
	} returns[SHARED_ACTIONS];
	size_t nreturns;
};

static size_t emit(struct program *p, uint16_t code, size_t yes, size_t no,
		   uint32_t k)
{
	if (p->len == BPF_MAXINSNS) {
		p->too_long = true;
		return p->len;
	}
	p->len++;
	*(p->end - p->len) = (struct sock_filter){
		.code = code,
		.jt = (uint8_t)yes,
		.jf = (uint8_t)no,
		.k = k,
	};
	return p->len;
}

/*
 * Return a label for the same target, at most REACH away after `slack` more
 * instructions.
 */
static size_t within_reach(struct program *p, size_t label, size_t slack)
{
	size_t distance = p->len - label;

	if (distance + slack <= REACH)
		return label;
	return emit(p, BPF_JMP | BPF_JA, 0, 0, (uint32_t)distance);
}

static size_t jump(struct program *p, uint16_t test, uint32_t k, size_t yes,
		   size_t no)
{
	if (yes == no)
		return yes;
	yes = within_reach(p, yes, /* slack= */ 1);
	no = within_reach(p, no, /* slack= */ 0);
	return emit(p, BPF_JMP | BPF_K | test, p->len - yes, p->len - no, k);
}

/* Emit an instruction without a jump, followed by the code at `next`. */
static size_t before(struct program *p, uint16_t code, uint32_t k, size_t next)
{
	if (next != p->len)
		emit(p, BPF_JMP | BPF_JA, 0, 0, (uint32_t)(p->len - next));
	return emit(p, code, 0, 0, k);
}

static size_t load(struct program *p, uint32_t offset, size_t next)
{
	return before(p, BPF_LD | BPF_W | BPF_ABS, offset, next);
}

static size_t give(struct program *p, uint32_t action)
{
	size_t i = 0;

	while (i < p->nreturns && p->returns[i].action != action)
		i++;
	if (i < p->nreturns && p->len - p->returns[i].label <= REACH)
		return p->returns[i].label;
	if (i == SHARED_ACTIONS)
		i = 0;
	else if (i == p->nreturns)
		p->nreturns++;
	p->returns[i].action = action;
	p->returns[i].label = emit(p, BPF_RET | BPF_K, 0, 0, action);
	return p->returns[i].label;
}

/* Compare one masked word of an argument with the same word of the value. */
static size_t word(struct program *p, uint16_t test, uint32_t offset,
		   uint32_t mask, uint32_t value, size_t yes, size_t no)
{
	size_t next = jump(p, test, value, yes, no);

	if (mask != UINT32_MAX)
		next = before(p, BPF_ALU | BPF_AND | BPF_K, mask, next);
	return load(p, offset, next);
}

static size_t equal(struct program *p, const struct bpf_cmp *cmp, uint32_t at,
		    size_t yes, size_t no)
{
	uint32_t high_mask = (uint32_t)(cmp->mask >> 32);

	if ((uint32_t)cmp->mask)
		yes = word(p, BPF_JEQ, at + LOW_WORD, (uint32_t)cmp->mask,
			   (uint32_t)cmp->value, yes, no);
	if (!cmp->narrow && high_mask)
		yes = word(p, BPF_JEQ, at + HIGH_WORD, high_mask,
			   (uint32_t)(cmp->value >> 32), yes, no);
	return yes;
}

/* test is BPF_JGT or BPF_JGE. */
static size_t greater(struct program *p, const struct bpf_cmp *cmp,
		      uint16_t test, uint32_t at, size_t yes, size_t no)
{
	uint32_t high = (uint32_t)(cmp->value >> 32);
	size_t next = word(p, test, at + LOW_WORD, UINT32_MAX,
			   (uint32_t)cmp->value, yes, no);

	if (cmp->narrow)
		return next;
	next = jump(p, BPF_JEQ, high, next, no);
	next = jump(p, BPF_JGT, high, yes, next);
	return load(p, at + HIGH_WORD, next);
}

static size_t compare(struct program *p, const struct bpf_cmp *cmp, size_t yes,
		      size_t no)
{
	uint32_t at = (uint32_t)(offsetof(struct seccomp_data, args) +
				 cmp->arg * sizeof(uint64_t));

	if (yes == no)
		return yes;
	switch (cmp->op) {
	case OCI_CMP_NE:
		return equal(p, cmp, at, no, yes);
	case OCI_CMP_LT:
		return greater(p, cmp, BPF_JGE, at, no, yes);
	case OCI_CMP_LE:
		return greater(p, cmp, BPF_JGT, at, no, yes);
	case OCI_CMP_GE:
		return greater(p, cmp, BPF_JGE, at, yes, no);
	case OCI_CMP_GT:
		return greater(p, cmp, BPF_JGT, at, yes, no);
	case OCI_CMP_EQ:
	case OCI_CMP_MASKED_EQ:
		break;
	}
	return equal(p, cmp, at, yes, no);
}

static size_t decide(struct program *p, const struct bpf_range *range)
{
	size_t next = give(p, range->otherwise);

	for (size_t i = range->nrules; i-- > 0;) {
		const struct bpf_rule *rule = &range->rules[i];
		size_t hit = give(p, rule->action);

		for (size_t j = rule->ncmps; j-- > 0;)
			hit = compare(p, &rule->cmps[j], hit, next);
		next = hit;
	}
	return next;
}

/* The call number is in the accumulator. */
static size_t search(struct program *p, const struct bpf_range *ranges,
		     size_t n)
{
	size_t half = n / 2;
	size_t low, high;

	if (n == 1)
		return decide(p, ranges);
	high = search(p, ranges + half, n - half);
	low = search(p, ranges, half);
	return jump(p, BPF_JGE, ranges[half].first, high, low);
}

int bpf_generate(struct arena *arena, const struct bpf_arch *archs, size_t n,
		 uint32_t bad_arch, struct sock_filter **ret_code,
		 size_t *ret_len)
{
	struct sock_filter *code =
		arena_array(arena, BPF_MAXINSNS, sizeof *code);
	size_t *heads = arena_array(arena, n, sizeof *heads);
	struct program p = { 0 };
	size_t next;

	if (!code || !heads)
		return -ENOMEM;
	p.end = code + BPF_MAXINSNS;
	for (size_t i = n; i-- > 0;)
		heads[i] = load(&p, offsetof(struct seccomp_data, nr),
				search(&p, archs[i].ranges, archs[i].nranges));
	next = give(&p, bad_arch);
	for (size_t i = n; i-- > 0;)
		next = jump(&p, BPF_JEQ, archs[i].audit_arch, heads[i], next);
	load(&p, offsetof(struct seccomp_data, arch), next);
	if (p.too_long) {
		fail(0,
		     "the seccomp filter needs more than %d instructions, the "
		     "limit of the kernel (use fewer rules)",
		     BPF_MAXINSNS);
		return -E2BIG;
	}
	*ret_code = p.end - p.len;
	*ret_len = p.len;
	return 0;
}
