/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/blocklist.c - compile the system calls that every policy denies to a
 * seccomp program.
 *
 * The kernel takes the arguments checked here as int, so only their low word
 * counts.
 */
#include "confine/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/kernel.h"
#include "base/util.h"
#include "confine/bpf.h"
#include "confine/calls.h"
#include "confine/other_processes.h"
#include "confine/rules.h"
#include "policy/syscalls.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#define NATIVE 0
#endif

#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#endif

#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)
#define CLOSED SECCOMP_RET_KILL_PROCESS
#define TELL SECCOMP_RET_TRAP
#define LOOK SECCOMP_RET_TRACE

#define MOST_CALLS 512 /* more than any architecture here has */
#define X32_FIRST 512  /* old kernels accept these without the bit */
#define X32_END 548
#define X32_BIT 0x40000000U
#define NO_CALL 0xffffffffU /* the number a tracer sets to skip a call */
#define SPARE_RANGES 4

/* The lowest byte of clone's flags is a signal, so it has no CLONE_NEWTIME. */
#define NAMESPACES                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* Arguments of socket. */
#define FAMILY(wanted) WORD(0, wanted)
#define TYPE(wanted) BITS(1, ~(SOCK_CLOEXEC | SOCK_NONBLOCK), wanted)
#define PROTOCOL(wanted) WORD(2, wanted)
#define SOCKET(...) RULE(ALLOW, __VA_ARGS__)

static const struct bpf_rule clone_rules[] = {
	RULE(ALLOW, BITS(0, NAMESPACES, 0)),
};

/* The last rule is used only if no_randomize is set. */
static const struct bpf_rule personality_rules[] = {
	RULE(ALLOW, WORD(0, 0xffffffff)),
	RULE(ALLOW, WORD(0, ADDR_NO_RANDOMIZE)),
};

static const struct bpf_rule seccomp_rules[] = {
	RULE(ALLOW, BITS(1, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0)),
};

static const struct bpf_rule socketpair_rules[] = {
	RULE(ALLOW, FAMILY(AF_UNIX)),
};

static const struct bpf_rule unix_sockets[] = {
	SOCKET(FAMILY(AF_UNIX), TYPE(SOCK_STREAM)),
	SOCKET(FAMILY(AF_UNIX), TYPE(SOCK_DGRAM)),
	SOCKET(FAMILY(AF_UNIX), TYPE(SOCK_SEQPACKET)),
};

static const struct bpf_rule route_sockets[] = {
	SOCKET(FAMILY(AF_NETLINK), TYPE(SOCK_RAW), PROTOCOL(NETLINK_ROUTE)),
	SOCKET(FAMILY(AF_NETLINK), TYPE(SOCK_DGRAM), PROTOCOL(NETLINK_ROUTE)),
};

static const struct bpf_rule tcp_sockets[] = {
	SOCKET(FAMILY(AF_INET), TYPE(SOCK_STREAM), PROTOCOL(0)),
	SOCKET(FAMILY(AF_INET), TYPE(SOCK_STREAM), PROTOCOL(IPPROTO_TCP)),
	SOCKET(FAMILY(AF_INET6), TYPE(SOCK_STREAM), PROTOCOL(0)),
	SOCKET(FAMILY(AF_INET6), TYPE(SOCK_STREAM), PROTOCOL(IPPROTO_TCP)),
};

static const struct bpf_rule udp_sockets[] = {
	SOCKET(FAMILY(AF_INET), TYPE(SOCK_DGRAM), PROTOCOL(0)),
	SOCKET(FAMILY(AF_INET), TYPE(SOCK_DGRAM), PROTOCOL(IPPROTO_UDP)),
	SOCKET(FAMILY(AF_INET6), TYPE(SOCK_DGRAM), PROTOCOL(0)),
	SOCKET(FAMILY(AF_INET6), TYPE(SOCK_DGRAM), PROTOCOL(IPPROTO_UDP)),
};

static const struct bpf_rule icmp_sockets[] = {
	SOCKET(FAMILY(AF_INET), TYPE(SOCK_DGRAM), PROTOCOL(IPPROTO_ICMP)),
	SOCKET(FAMILY(AF_INET6), TYPE(SOCK_DGRAM), PROTOCOL(IPPROTO_ICMPV6)),
};

/* With raw_sockets: what is still denied without icmp and udp. */
static const struct bpf_rule no_icmp_sockets[] = {
	RULE(REFUSE, FAMILY(AF_INET), TYPE(SOCK_DGRAM), PROTOCOL(IPPROTO_ICMP)),
	RULE(REFUSE, FAMILY(AF_INET6), TYPE(SOCK_DGRAM),
	     PROTOCOL(IPPROTO_ICMPV6)),
};

static const struct bpf_rule no_udp_sockets[] = {
	RULE(REFUSE, FAMILY(AF_INET), TYPE(SOCK_DGRAM)),
	RULE(REFUSE, FAMILY(AF_INET6), TYPE(SOCK_DGRAM)),
};

#define MOST_SOCKETS                                                       \
	(COUNT(unix_sockets) + COUNT(route_sockets) + COUNT(tcp_sockets) + \
	 COUNT(udp_sockets) + COUNT(icmp_sockets))

struct table {
	struct arena *arena;
	uint32_t arch;
	const struct confine_blocklist *list;
	bool raw_sockets;
	struct bpf_range *calls; /* one for each number; later the ranges */
};

static void judge(struct bpf_range *range, const struct bpf_rule *rules,
		  size_t n, uint32_t otherwise)
{
	range->rules = rules;
	range->nrules = n;
	range->otherwise = otherwise;
}

static int filter_clone(const struct table *table, struct bpf_range *range)
{
	(void)table;
	judge(range, clone_rules, COUNT(clone_rules), REFUSE);
	return 0;
}

static int filter_ioctl(const struct table *table, struct bpf_range *range)
{
	(void)table;
	judge(range, others_terminal.rules, others_terminal.nrules, ALLOW);
	return 0;
}

static int filter_personality(const struct table *table,
			      struct bpf_range *range)
{
	judge(range, personality_rules,
	      COUNT(personality_rules) - !table->list->no_randomize, REFUSE);
	return 0;
}

static int filter_seccomp(const struct table *table, struct bpf_range *range)
{
	if (!table->list->listener_follows)
		judge(range, seccomp_rules, COUNT(seccomp_rules), REFUSE);
	return 0;
}

static int filter_socketpair(const struct table *table, struct bpf_range *range)
{
	if (!table->raw_sockets || !table->list->inet)
		judge(range, socketpair_rules, COUNT(socketpair_rules), REFUSE);
	return 0;
}

#define ADD_RULES(to, n, from) \
	(memcpy((to) + (n), (from), sizeof(from)), (n) + COUNT(from))

/* raw_sockets grants no IP sockets if the policy denies all of them. */
static int filter_socket(const struct table *table, struct bpf_range *range)
{
	const struct confine_blocklist *list = table->list;
	bool all = table->raw_sockets && list->inet && !list->no_unix;
	struct bpf_rule *rules =
		arena_array(table->arena, MOST_SOCKETS, sizeof *rules);
	size_t n = 0;

	if (!rules)
		return -ENOMEM;
	if (!all && !list->no_unix)
		n = ADD_RULES(rules, n, unix_sockets);
	if (!all)
		n = ADD_RULES(rules, n, route_sockets);
	if (!all && list->inet)
		n = ADD_RULES(rules, n, tcp_sockets);
	if (!all && list->inet && list->udp)
		n = ADD_RULES(rules, n, udp_sockets);
	if (list->inet && list->icmp)
		n = ADD_RULES(rules, n, icmp_sockets);
	if (all && !list->icmp)
		n = ADD_RULES(rules, n, no_icmp_sockets);
	if (all && !list->udp)
		n = ADD_RULES(rules, n, no_udp_sockets);
	judge(range, rules, n, all ? ALLOW : REFUSE);
	return 0;
}

static const struct {
	const char *call;
	int (*make)(const struct table *table, struct bpf_range *range);
} filters[] = {
	{ "clone", filter_clone },
	{ "ioctl", filter_ioctl },
	{ "personality", filter_personality },
	{ "seccomp", filter_seccomp },
	{ "socket", filter_socket },
	{ "socketpair", filter_socketpair },
};

/* Find the entry of a call in the table; NULL if the architecture lacks it. */
static int find_call(const struct table *table, const char *name,
		     struct bpf_range **ret)
{
	int number = call_number(table->arch, name);

	if (number == -ENOENT || number >= MOST_CALLS) {
		fail(0, "'%s' is not a system call", name);
		return -EINVAL;
	}
	*ret = number < 0 ? NULL : &table->calls[number];
	return 0;
}

/* Programs have a fallback for kernels without these calls. */
static const char *const optional[] = { "clone3", "openat2" };

static bool is_optional(const char *name)
{
	for (size_t i = 0; i < COUNT(optional); i++)
		if (streq(optional[i], name))
			return true;
	return false;
}

static int refuse_call(const struct table *table, const char *name)
{
	struct bpf_range *range;
	int r = find_call(table, name, &range);

	if (r < 0 || !range)
		return r;
	judge(range, NULL, 0, is_optional(name) ? ABSENT : REFUSE);
	return 0;
}

static int filter_call(const struct table *table, const char *name)
{
	struct bpf_range *range;
	int r = find_call(table, name, &range);

	if (r < 0 || !range)
		return r;
	for (size_t i = 0; i < COUNT(filters); i++)
		if (streq(filters[i].call, name))
			return filters[i].make(table, range);
	for (size_t i = 0; i < others_nmodes; i++)
		if (streq(others_modes[i].name, name)) {
			judge(range, others_modes[i].rules,
			      others_modes[i].nrules, REFUSE);
			return 0;
		}
	return fail(0, "%s cannot be restricted by its arguments", name);
}

static int filter_outside(const struct table *table,
			  const struct others_call *calls, size_t n,
			  uint32_t otherwise)
{
	for (size_t i = 0; i < n; i++) {
		struct bpf_range *range = NULL;
		int r = find_call(table, calls[i].name, &range);

		if (r < 0)
			return r;
		if (range)
			judge(range, calls[i].rules, calls[i].nrules,
			      otherwise);
	}
	return 0;
}

/* Add these after the rules of the terminal, which a policy may lift. */
static int filter_flags(const struct table *table)
{
	const struct others_call *call = &others_ioctl;
	struct bpf_range *range;
	struct bpf_rule *rules;
	int r = find_call(table, call->name, &range);

	if (r < 0 || !range)
		return r;
	rules = arena_array(table->arena, range->nrules + call->nrules,
			    sizeof *rules);
	if (!rules)
		return -ENOMEM;
	for (size_t i = 0; i < range->nrules; i++)
		rules[i] = range->rules[i];
	memcpy(rules + range->nrules, call->rules,
	       call->nrules * sizeof *rules);
	judge(range, rules, range->nrules + call->nrules, ALLOW);
	return 0;
}

static bool names_group(const struct strings *names, enum syscall_group group)
{
	for (size_t i = 0; i < names->n; i++)
		if (syscall_group_find(names->items[i]) == (int)group)
			return true;
	return false;
}

static bool is_lifted(const struct table *table, enum syscall_group group)
{
	return names_group(&table->list->extra_allow, group) &&
	       !names_group(&table->list->extra_deny, group);
}

static int refuse_group(const struct table *table, enum syscall_group group)
{
	const struct syscall_group_info *info = syscall_group_info(group);
	bool lifted = is_lifted(table, group);
	int r = 0;

	/* If the group is lifted, sockets still have to pass these rules. */
	if (!lifted || group == SYSCALLS_RAW_SOCKETS)
		for (size_t i = 0; r == 0 && info->filtered[i]; i++)
			r = filter_call(table, info->filtered[i]);
	if (!lifted)
		for (size_t i = 0; r == 0 && info->calls[i]; i++)
			r = refuse_call(table, info->calls[i]);
	return r;
}

static int check_groups(const struct strings *names)
{
	for (size_t i = 0; i < names->n; i++)
		if (syscall_group_find(names->items[i]) < 0) {
			fail(0,
			     "'%s' is not a group of system calls (such as "
			     "namespaces)",
			     names->items[i]);
			return -EINVAL;
		}
	return 0;
}

/* If a name is both a group and a call, take the group, which contains it. */
static int refuse_extra(const struct table *table)
{
	const struct strings *names = &table->list->extra_deny;
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->n; i++)
		if (syscall_group_find(names->items[i]) < 0)
			r = refuse_call(table, names->items[i]);
	return r;
}

static int fill(struct table *table)
{
	int r = check_groups(&table->list->extra_allow);

	if (r < 0)
		return fail_in(r, "syscalls.extra_allow");
	table->raw_sockets = is_lifted(table, SYSCALLS_RAW_SOCKETS);
	for (int group = 0; group < SYSCALLS_GROUPS; group++) {
		r = refuse_group(table, (enum syscall_group)group);
		if (r < 0)
			return fail_in(r, "%s",
				       syscall_group_info(group)->name);
	}
	if (table->list->no_fast_open)
		r = filter_outside(table, others_sends, others_nsends, ALLOW);
	if (r == 0 && table->list->only_itself)
		r = filter_outside(table, others_processes, others_nprocesses,
				   REFUSE);
	if (r == 0 && table->list->no_flags)
		r = filter_flags(table);
	if (r < 0)
		return r;
	r = refuse_extra(table);
	return r < 0 ? fail_in(r, "syscalls.extra_deny") : 0;
}

static bool are_alike(const struct bpf_range *a, const struct bpf_range *b)
{
	return !a->nrules && !b->nrules && a->otherwise == b->otherwise;
}

/*
 * Reduce the table from one entry for each number to one for each range. Calls
 * of newer kernels are not part of it: their group is not known yet.
 */
static size_t make_ranges(struct table *table)
{
	struct bpf_range *ranges = table->calls;
	uint32_t newer = ranges[MOST_CALLS - 1].otherwise;
	size_t n = 0;

	for (size_t i = 0; i < MOST_CALLS; i++)
		if (n == 0 || !are_alike(&ranges[n - 1], &ranges[i]))
			ranges[n++] = ranges[i];
	if (table->arch == AUDIT_ARCH_X86_64) {
		ranges[n++] = (struct bpf_range){ X32_FIRST, CLOSED, NULL, 0 };
		ranges[n++] = (struct bpf_range){ X32_END, newer, NULL, 0 };
		ranges[n++] = (struct bpf_range){ X32_BIT, CLOSED, NULL, 0 };
	}
	ranges[n++] = (struct bpf_range){ NO_CALL, ALLOW, NULL, 0 };
	return n;
}

static int make_table(struct table *table)
{
	table->calls = arena_array(table->arena, MOST_CALLS + SPARE_RANGES,
				   sizeof *table->calls);
	if (!table->calls)
		return -ENOMEM;
	if (table->arch != AUDIT_ARCH_X86_64 &&
	    table->arch != AUDIT_ARCH_AARCH64) {
		fail(0, "the system-call filter requires an x86-64 or arm64 "
			"machine");
		return -ENOTSUP;
	}
	for (uint32_t i = 0; i < MOST_CALLS; i++)
		table->calls[i] = (struct bpf_range){
			i, i > call_newest() ? ABSENT : ALLOW, NULL, 0
		};
	return fill(table);
}

static int make_program(struct table *table, struct confine_filter *ret)
{
	struct confine_filter filter = {
		.flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW,
	};
	struct bpf_arch program = {
		.audit_arch = table->arch,
		.ranges = table->calls,
		.nranges = make_ranges(table),
	};
	int r = bpf_generate(table->arena, &program, 1, CLOSED, &filter.code,
			     &filter.len);

	if (r >= 0)
		*ret = filter;
	return r;
}

uint32_t confine_arch(void)
{
	return NATIVE;
}

int confine_blocklist(struct arena *arena, uint32_t arch,
		      const struct confine_blocklist *list,
		      struct confine_filter *ret)
{
	struct table table = {
		.arena = arena,
		.arch = arch ? arch : NATIVE,
		.list = list,
	};
	int r = make_table(&table);

	return r < 0 ? r : make_program(&table, ret);
}

/* ---- for a tracer ---- */

/* Only calls with an address: other data follows a connect that was seen. */
static const struct bpf_rule sendto_rules[] = {
	RULE(LOOK, { .arg = 4, .op = OCI_CMP_NE, .mask = UINT64_MAX }),
};

static uint32_t translate(uint32_t action, uint32_t allowed)
{
	switch (action) {
	case REFUSE:
		return TELL;
	case ABSENT:
		return ALLOW;
	case ALLOW:
		return allowed;
	default:
		return action;
	}
}

static int translate_call(const struct table *table, struct bpf_range *range,
			  uint32_t allowed)
{
	struct bpf_rule *rules =
		arena_array(table->arena, range->nrules, sizeof *rules);

	if (!rules)
		return -ENOMEM;
	for (size_t i = 0; i < range->nrules; i++) {
		rules[i] = range->rules[i];
		rules[i].action = translate(rules[i].action, allowed);
	}
	range->rules = range->nrules ? rules : NULL;
	range->otherwise = translate(range->otherwise, allowed);
	return 0;
}

static int look_at(const struct table *table, const char *name)
{
	int number = call_number(table->arch, name);
	struct bpf_range *range;

	if (number < 0 || number >= MOST_CALLS)
		return 0;
	range = &table->calls[number];
	if (!streq(name, "sendto"))
		return translate_call(table, range, LOOK);
	if (range->otherwise == ALLOW)
		judge(range, sendto_rules, COUNT(sendto_rules), ALLOW);
	return 0;
}

static int tell_of_optional(const struct table *table)
{
	for (size_t i = 0; i < COUNT(optional); i++) {
		struct bpf_range *range;
		int r = find_call(table, optional[i], &range);

		if (r < 0)
			return r;
		if (range && range->otherwise == ABSENT)
			range->otherwise = TELL;
	}
	return 0;
}

bool confine_is_optional(uint32_t arch, uint64_t number)
{
	for (size_t i = 0; i < COUNT(optional); i++)
		if (call_number(arch, optional[i]) == (int)number)
			return true;
	return false;
}

int confine_watch(struct arena *arena, uint32_t arch,
		  const struct confine_blocklist *list,
		  const struct strings *calls, struct confine_filter *ret)
{
	struct table table = {
		.arena = arena,
		.arch = arch ? arch : NATIVE,
		.list = list,
	};
	int r = make_table(&table);

	if (r == 0)
		r = tell_of_optional(&table);
	for (size_t i = 0; r == 0 && i < MOST_CALLS; i++)
		r = translate_call(&table, &table.calls[i], ALLOW);
	for (size_t i = 0; r == 0 && i < calls->n; i++)
		r = look_at(&table, calls->items[i]);
	return r < 0 ? r : make_program(&table, ret);
}

int confine_check_denied(const struct strings *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (syscall_group_find(words->items[i]) < 0 &&
		    call_number(NATIVE, words->items[i]) == -ENOENT)
			return fail(0,
				    "syscalls.extra_deny: '%s' is not a system "
				    "call or a group of them",
				    words->items[i]);
	return 0;
}
