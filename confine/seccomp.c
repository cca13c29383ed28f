/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/seccomp.c - convert linux.seccomp to tables of call numbers.
 *
 * libseccomp has the numbers of the names. Its own generator is some forty
 * times slower than ours, and only serves as the reference in tests. If rules
 * of a profile contradict each other, the result is the same as with
 * libseccomp.
 */
#include "confine/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "confine/bpf.h"
#include "confine/calls.h"
#include "confine/seccomp_order.h"

#define X32_BIT 0x40000000U
#define NO_CALL 0xffffffffU /* the number a tracer sets to skip a call */
#define BAD_ARCH SECCOMP_RET_KILL_THREAD
#define NEWER (SECCOMP_RET_ERRNO | ENOSYS)

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define NARGS 6 /* of a system call */
/* libseccomp's numbers for the parts of socketcall(2) and ipc(2): -101… */
#define PSEUDO_NUMBERS 256
#define NO_SUBCALL 0
/* Ranges beside the two of each call: before, after, other ABIs. */
#define SPARE_RANGES 8

/* The rules of a profile for one architecture. */
struct calls {
	struct arena *arena;
	uint32_t arch; /* AUDIT_ARCH_… or OCI_ARCH_X32 */
	uint32_t default_action;
	struct call **items; /* ascending by number */
	size_t n;
	bool named;	  /* at least one name has a number here */
	uint32_t largest; /* the largest number in any rule */
	uint32_t *direct; /* by pseudo number; NULL until first used */
};

struct ranges {
	struct bpf_range *items;
	size_t n;
};

/* The architectures of a profile, the native one first, each once. */
struct archs {
	uint32_t *items;
	size_t n;
};

static bool is_narrow(uint32_t arch)
{
#ifdef __AUDIT_ARCH_CONVENTION_MIPS64_N32
	if (arch & __AUDIT_ARCH_CONVENTION_MIPS64_N32)
		return true;
#endif
	return !(arch & __AUDIT_ARCH_64BIT);
}

/* Return false if the comparison is always true. */
static bool make_cmp(const struct oci_seccomp_arg *arg, bool narrow,
		     struct bpf_cmp *ret)
{
	uint64_t word = narrow ? UINT32_MAX : UINT64_MAX;
	bool masked = arg->op == OCI_CMP_MASKED_EQ;
	uint64_t mask = (masked ? arg->value : UINT64_MAX) & word;
	uint64_t value = (masked ? arg->value_two : arg->value) & mask;

	if (!mask)
		return false;
	*ret = (struct bpf_cmp){
		.arg = arg->index,
		.op = arg->op,
		.narrow = narrow,
		.mask = mask,
		.value = value,
	};
	return true;
}

/* Return the call with this number, a new one if there is none yet. */
static struct call *find_call(struct calls *calls, uint32_t number)
{
	struct call *call;
	size_t low = 0;

	for (size_t high = calls->n; low < high;) {
		size_t middle = low + (high - low) / 2;

		call = calls->items[middle];
		if (call->number == number)
			return call;
		if (call->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	call = arena_alloc(calls->arena, sizeof *call);
	if (!call)
		return NULL;
	call->number = number;
	memmove(&calls->items[low + 1], &calls->items[low],
		(calls->n - low) * sizeof(struct call *));
	calls->items[low] = call;
	calls->n++;
	return call;
}

static int append_rule(struct calls *calls, uint32_t number,
		       struct bpf_rule rule)
{
	struct call *call = find_call(calls, number);
	struct call_rule *added = arena_alloc(calls->arena, sizeof *added);

	if (!call || !added)
		return -ENOMEM;
	added->rule = rule;
	if (call->last)
		call->last->next = added;
	else
		call->first = added;
	call->last = added;
	call->nrules++;
	return 0;
}

/*
 * The first argument of the carrier identifies a multiplexed call (subcall).
 * Its real arguments are behind a pointer; comparisons with the others apply to
 * the carrier's arguments, as in libseccomp.
 */
static int make_cmps(struct calls *calls, const struct oci_seccomp_rule *rule,
		     uint64_t subcall, struct bpf_rule *ret)
{
	struct oci_seccomp_arg carrier = { .op = OCI_CMP_EQ, .value = subcall };
	struct bpf_cmp *cmps;
	uint32_t n = 0;

	cmps = arena_array(calls->arena, NARGS, sizeof *cmps);
	if (!cmps)
		return -ENOMEM;
	for (uint32_t index = 0; index < NARGS; index++) {
		const struct oci_seccomp_arg *arg = NULL;

		for (size_t i = 0; i < rule->nargs; i++)
			if (rule->args[i].index == index)
				arg = &rule->args[i];
		if (index == 0 && subcall != NO_SUBCALL)
			arg = &carrier;
		if (arg && make_cmp(arg, is_narrow(calls->arch), &cmps[n]))
			n++;
	}
	ret->cmps = cmps;
	ret->ncmps = n;
	return 0;
}

static int add_call(struct calls *calls, uint32_t number,
		    const struct oci_seccomp_rule *rule, uint64_t subcall)
{
	struct bpf_rule made = { .action = rule->action };
	int r = 0;

	calls->named = true;
	if (number > calls->largest)
		calls->largest = number;
	if (rule->action == calls->default_action)
		return 0;
	if (rule->nargs || subcall != NO_SUBCALL)
		r = make_cmps(calls, rule, subcall, &made);
	return r < 0 ? r : append_rule(calls, number, made);
}

/*
 * For calls that can be made both through a carrier and directly, libseccomp
 * returns a pseudo number. The only way to find the direct number is to try all
 * numbers.
 */
static int find_direct(struct calls *calls)
{
	bool mips = (calls->arch & 0xffff) == EM_MIPS;
	int first = mips ? 4160 : 320;
	int last = mips ? 4410 : 410;

	calls->direct = arena_array(calls->arena, PSEUDO_NUMBERS,
				    sizeof *calls->direct);
	if (!calls->direct)
		return -ENOMEM;
	for (int number = first; number <= last; number++) {
		char *name =
			seccomp_syscall_resolve_num_arch(calls->arch, number);
		int pseudo = 0;

		if (name)
			pseudo = seccomp_syscall_resolve_name_arch(calls->arch,
								   name);
		if (pseudo < 0 && pseudo > -PSEUDO_NUMBERS)
			calls->direct[-pseudo] = (uint32_t)number;
		free(name);
	}
	return 0;
}

static int add_multiplexed(struct calls *calls, const char *name, int pseudo,
			   const struct oci_seccomp_rule *rule)
{
	int carrier = -1;
	int r;

	if (pseudo > -PSEUDO_NUMBERS && pseudo != __NR_SCMP_ERROR)
		carrier =
			seccomp_syscall_resolve_name_rewrite(calls->arch, name);
	if (carrier < 0)
		return 0;
	if (!calls->direct) {
		r = find_direct(calls);
		if (r < 0)
			return r;
	}
	r = add_call(calls, (uint32_t)carrier, rule, (uint64_t)-pseudo % 100);
	if (r < 0 || !calls->direct[-pseudo])
		return r;
	return add_call(calls, calls->direct[-pseudo], rule, NO_SUBCALL);
}

static int add_rule(struct calls *calls, const struct oci_seccomp_rule *rule)
{
	for (size_t i = 0; i < rule->names.n; i++) {
		const char *name = rule->names.items[i];
		int number =
			seccomp_syscall_resolve_name_arch(calls->arch, name);
		int r = number < 0 ?
				add_multiplexed(calls, name, number, rule) :
				add_call(calls, (uint32_t)number, rule,
					 NO_SUBCALL);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Return 1 if an index occurs twice. */
static int check_indexes(const struct oci_seccomp_rule *rule)
{
	uint32_t seen = 0;
	int repeated = 0;

	for (size_t i = 0; i < rule->nargs; i++) {
		uint32_t index = rule->args[i].index;

		if (index >= NARGS) {
			fail(0,
			     "linux.seccomp: args[%zu].index: %u is not from 0 to 5",
			     i, index);
			return -EINVAL;
		}
		repeated |= (int)(seen >> index & 1);
		seen |= 1U << index;
	}
	return repeated;
}

/* All arguments must match, or any of them if an index occurs twice. */
static int add_alternatives(struct calls *calls,
			    const struct oci_seccomp_rule *rule)
{
	struct oci_seccomp_rule part = *rule;
	int r = check_indexes(rule);

	if (r < 0)
		return r;
	if (r == 0)
		return add_rule(calls, rule);
	part.nargs = 1;
	for (size_t i = 0; i < rule->nargs; i++) {
		part.args = &rule->args[i];
		r = add_rule(calls, &part);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Collect all rules of the profile for one architecture, by number. */
static int collect(struct calls *calls, const struct oci_seccomp *profile)
{
	size_t most = 1;

	for (size_t i = 0; i < profile->nrules; i++)
		most += 2 * profile->rules[i].names.n;
	calls->items = arena_array(calls->arena, most, sizeof(struct call *));
	if (!calls->items)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nrules; i++) {
		int r = add_alternatives(calls, &profile->rules[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Append a range; merge it with its neighbour if the outcome is the same. */
static void append(struct ranges *ranges, struct bpf_range range)
{
	const struct bpf_range *last;

	if (ranges->n && ranges->items[ranges->n - 1].first == range.first)
		ranges->n--;
	last = ranges->n ? &ranges->items[ranges->n - 1] : NULL;
	if (last && !last->nrules && !range.nrules &&
	    last->otherwise == range.otherwise)
		return;
	ranges->items[ranges->n++] = range;
}

static void append_action(struct ranges *ranges, uint32_t first,
			  uint32_t action)
{
	append(ranges,
	       (struct bpf_range){ .first = first, .otherwise = action });
}

static bool is_s390(uint32_t arch)
{
	return arch == AUDIT_ARCH_S390 || arch == AUDIT_ARCH_S390X;
}

/* Append the numbers of calls, which start at base. */
static int append_calls(struct ranges *ranges, const struct calls *calls,
			uint32_t base)
{
	uint32_t other = calls->default_action;
	bool hides_newer = calls->named && (other & SECCOMP_RET_ACTION_FULL) ==
						   SECCOMP_RET_ERRNO;

	append_action(ranges, base, other);
	/* On s390 the kernel reports an unknown number as 0. */
	if (hides_newer && is_s390(calls->arch)) {
		append_action(ranges, base, NEWER);
		append_action(ranges, base + 1, other);
	}
	for (size_t i = 0; i < calls->n; i++) {
		const struct call *call = calls->items[i];
		struct bpf_range range = {
			.first = call->number,
			.otherwise = other,
		};
		int r = seccomp_order(calls->arena, call, &range);

		if (r < 0)
			return r;
		append(ranges, range);
		append_action(ranges, range.first + 1, other);
	}
	if (hides_newer)
		append_action(ranges, calls->largest + 1, NEWER);
	return 0;
}

static bool is_listed(const struct archs *archs, uint32_t arch)
{
	for (size_t i = 0; i < archs->n; i++)
		if (archs->items[i] == arch)
			return true;
	return false;
}

/* libseccomp has no numbers for an architecture that it does not know. */
static void list_arch(struct archs *archs, uint32_t arch)
{
	if (!is_listed(archs, arch) &&
	    seccomp_syscall_resolve_name_arch(arch, "exit") != __NR_SCMP_ERROR)
		archs->items[archs->n++] = arch;
}

static int list_archs(struct arena *arena, const struct oci_seccomp *profile,
		      struct archs *ret)
{
	struct archs archs = { arena_array(arena, profile->narchitectures + 1,
					   sizeof *archs.items),
			       0 };

	if (!archs.items)
		return -ENOMEM;
	list_arch(&archs, seccomp_arch_native());
	for (size_t i = 0; i < profile->narchitectures; i++)
		list_arch(&archs, profile->architectures[i]);
	*ret = archs;
	return 0;
}

/* Append the rules of the profile for arch, whose numbers start at base. */
static int append_arch(struct ranges *ranges, struct arena *arena,
		       const struct oci_seccomp *profile, uint32_t arch,
		       uint32_t base)
{
	struct calls calls = {
		.arena = arena,
		.arch = arch,
		.default_action = profile->default_action,
	};
	int r = collect(&calls, profile);

	if (r < 0)
		return r;
	ranges->items = arena_grow(arena, ranges->items, ranges->n,
				   ranges->n + 2 * calls.n + SPARE_RANGES,
				   sizeof *ranges->items);
	if (!ranges->items)
		return -ENOMEM;
	return append_calls(ranges, &calls, base);
}

/* x32 has the same AUDIT_ARCH_X86_64; a bit in the number distinguishes it. */
static int append_x86_64(struct ranges *ranges, struct arena *arena,
			 const struct oci_seccomp *profile,
			 const struct archs *archs)
{
	int r = 0;

	append_action(ranges, 0, BAD_ARCH);
	if (is_listed(archs, AUDIT_ARCH_X86_64))
		r = append_arch(ranges, arena, profile, AUDIT_ARCH_X86_64, 0);
	if (r < 0)
		return r;
	if (is_listed(archs, OCI_ARCH_X32))
		return append_arch(ranges, arena, profile, OCI_ARCH_X32,
				   X32_BIT);
	append_action(ranges, X32_BIT, BAD_ARCH);
	append_action(ranges, NO_CALL, profile->default_action);
	return 0;
}

static int make_table(struct arena *arena, const struct oci_seccomp *profile,
		      const struct archs *archs, uint32_t arch,
		      struct bpf_arch *ret)
{
	struct ranges ranges = {
		arena_array(arena, SPARE_RANGES, sizeof *ranges.items), 0
	};
	int r;

	if (!ranges.items)
		return -ENOMEM;
	if (arch == OCI_ARCH_X32)
		arch = AUDIT_ARCH_X86_64;
	if (arch == AUDIT_ARCH_X86_64)
		r = append_x86_64(&ranges, arena, profile, archs);
	else
		r = append_arch(&ranges, arena, profile, arch, 0);
	if (r < 0)
		return r;
	*ret = (struct bpf_arch){ arch, ranges.items, ranges.n };
	return 0;
}

static bool gives_notice(const struct confine_filter *filter)
{
	for (size_t i = 0; i < filter->len; i++)
		if (filter->code[i].code == (BPF_RET | BPF_K) &&
		    (filter->code[i].k & SECCOMP_RET_ACTION_FULL) ==
			    SECCOMP_RET_USER_NOTIF)
			return true;
	return false;
}

/* One flag is invalid with a listener, the other without. */
static uint32_t make_flags(const struct oci_seccomp *profile, bool notifies)
{
	uint32_t flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	uint32_t never = notifies ? SECCOMP_FILTER_FLAG_TSYNC :
				    SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;

	if (profile->has_flags)
		flags = profile->flags;
	return flags & ~never;
}

int confine_seccomp(struct arena *arena, const struct oci_seccomp *profile,
		    struct confine_filter *ret)
{
	struct confine_filter filter = { 0 };
	struct bpf_arch *tables;
	struct archs archs;
	size_t n = 0;
	int r = calls_check_names(profile);

	if (r >= 0)
		r = list_archs(arena, profile, &archs);
	if (r < 0)
		return r;
	tables = arena_array(arena, archs.n, sizeof *tables);
	if (!tables)
		return -ENOMEM;
	for (size_t i = 0; i < archs.n; i++) {
		if (archs.items[i] == OCI_ARCH_X32 &&
		    is_listed(&archs, AUDIT_ARCH_X86_64))
			continue;
		r = make_table(arena, profile, &archs, archs.items[i],
			       &tables[n++]);
		if (r < 0)
			return r;
	}
	r = bpf_generate(arena, tables, n, BAD_ARCH, &filter.code, &filter.len);
	if (r < 0)
		return r;
	filter.notifies = gives_notice(&filter);
	filter.flags = make_flags(profile, filter.notifies);
	*ret = filter;
	return 0;
}

int libseccomp_number(uint32_t arch, const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(arch, name);

	if (number == __NR_SCMP_ERROR)
		return -ENOENT;
	return number < 0 ? -ENOSYS : number;
}

const char *confine_libseccomp_version(struct arena *arena)
{
	const struct scmp_version *version = seccomp_version();

	return arena_printf(arena, "%u.%u.%u", version->major, version->minor,
			    version->micro);
}
