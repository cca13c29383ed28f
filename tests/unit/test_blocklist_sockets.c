/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_blocklist_sockets.c - which sockets a blocklist lets be, and
 * which system calls of other ABIs and kernels.
 */
#include <linux/netlink.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>

#include "tests/unit/arena_state.h"
#include "tests/unit/blocklist_asked.h"

#define X32_BIT 0x40000000U

/* ---- sockets ---- */

static bool is_socket(const struct confine_blocklist *list, bool raw,
		      uint32_t family, uint32_t type, uint32_t protocol)
{
	bool inet = family == AF_INET || family == AF_INET6;
	uint32_t icmp = family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;

	type &= ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (raw && list->inet) {
		if (!inet || type != SOCK_DGRAM)
			return true;
		return protocol == icmp ? list->icmp : list->udp;
	}
	if (family == AF_UNIX)
		return type == SOCK_STREAM || type == SOCK_DGRAM ||
		       type == SOCK_SEQPACKET;
	if (family == AF_NETLINK)
		return (type == SOCK_RAW || type == SOCK_DGRAM) &&
		       protocol == NETLINK_ROUTE;
	if (!inet || !list->inet)
		return false;
	if (type == SOCK_STREAM)
		return protocol == 0 || protocol == IPPROTO_TCP;
	if (type != SOCK_DGRAM)
		return false;
	if (protocol == icmp)
		return list->icmp;
	return list->udp && (protocol == 0 || protocol == IPPROTO_UDP);
}

static void check_sockets(const struct confine_filter *filter, uint32_t arch,
			  const struct confine_blocklist *list)
{
	static const uint32_t protocols[] = {
		0,  1,	 2,   6,   9,	16,	    17,
		58, 132, 136, 255, 262, 0xffffffff, 0x80000006,
	};
	static const uint32_t flags[] = {
		0,    SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_CLOEXEC | SOCK_NONBLOCK,
		0x10, 0x80000000,
	};
	uint32_t number = (uint32_t)number_of(arch, "socket");

	for (uint32_t family = 0; family < 64; family++)
		for (uint32_t type = 0; type < 16 * COUNT(flags); type++)
			for (size_t i = 0; i < COUNT(protocols); i++) {
				uint64_t args[4] = {
					family | (i % 2 ? GARBAGE : 0),
					type % 16 | flags[type / 16] |
						(type % 3 ? GARBAGE : 0),
					protocols[i] | (type % 2 ? GARBAGE : 0),
				};
				bool is = is_socket(list, list->extra_allow.n,
						    family, (uint32_t)args[1],
						    protocols[i]);

				expect(ask(filter, arch, number, args),
				       is ? ALLOW : REFUSE, "socket", family);
			}
}

/* Raw sockets are no way around the families, either. */
static void check_pairs(const struct confine_filter *filter, uint32_t arch,
			const struct confine_blocklist *list)
{
	uint32_t number = (uint32_t)number_of(arch, "socketpair");
	bool raw = list->extra_allow.n && list->inet;

	for (uint32_t family = 0; family < 64; family++) {
		uint64_t args[4] = { family, SOCK_STREAM };

		expect(ask(filter, arch, number, args),
		       raw || family == AF_UNIX ? ALLOW : REFUSE, "socketpair",
		       family);
	}
}

static void sockets_are_those_of_the_rules(void **state)
{
	static const char *raw[] = { "raw_sockets" };

	for (unsigned int bits = 0; bits < 16; bits++) {
		struct confine_blocklist list = {
			.extra_allow = { raw, bits & 1 },
			.inet = bits & 2,
			.udp = bits & 4,
			.icmp = bits & 8,
		};
		uint32_t arch = archs[bits / 2 % 2];
		struct confine_filter filter = build(state, arch, &list);

		check_sockets(&filter, arch, &list);
		check_pairs(&filter, arch, &list);
	}
}

/* Data that opens a connection, and the bit alone. */
static void fast_open_is_refused_where_asked(void **state)
{
	static const struct {
		const char *call;
		size_t flags;
	} rows[] = { { "sendto", 3 }, { "sendmsg", 2 }, { "sendmmsg", 3 } };
	struct confine_blocklist list = plain;

	for (unsigned int i = 0; i < 2 * COUNT(rows); i++) {
		uint32_t arch = archs[i % 2];
		struct seccomp_data call = {
			.arch = arch,
			.nr = number_of(arch, rows[i / 2].call),
		};
		struct confine_filter filter;

		call.args[rows[i / 2].flags] = GARBAGE | MSG_FASTOPEN |
					       MSG_NOSIGNAL;
		list.no_fast_open = true;
		filter = build(state, arch, &list);
		expect(bpf_run(filter.code, filter.len, &call), REFUSE,
		       rows[i / 2].call, 1);
		call.args[rows[i / 2].flags] = GARBAGE | MSG_NOSIGNAL;
		expect(bpf_run(filter.code, filter.len, &call), ALLOW,
		       rows[i / 2].call, 2);
		list.no_fast_open = false;
		call.args[rows[i / 2].flags] = MSG_FASTOPEN;
		filter = build(state, arch, &list);
		expect(bpf_run(filter.code, filter.len, &call), ALLOW,
		       rows[i / 2].call, 3);
	}
}

/* ---- other ABIs ---- */

static void other_abis_are_closed(void **state)
{
	static const uint32_t odd[] = {
		AUDIT_ARCH_I386,
		AUDIT_ARCH_ARM,
		AUDIT_ARCH_RISCV64,
		0,
	};

	for (size_t i = 0; i < COUNT(archs); i++) {
		struct confine_filter filter = build(state, archs[i], &plain);

		for (uint32_t number = 0; number < 1024; number++) {
			for (size_t j = 0; j < COUNT(odd); j++)
				expect(ask(&filter, odd[j], number, NULL),
				       CLOSED, "architecture", odd[j]);
			expect(ask(&filter, archs[1 - i], number, NULL), CLOSED,
			       "the other one", number);
		}
		expect(ask(&filter, archs[i], UINT32_MAX, NULL), ALLOW,
		       "no call", UINT32_MAX);
		for (uint32_t number = NEWER; number < 1024; number++)
			expect(ask(&filter, archs[i], number, NULL),
			       archs[i] == X86 && number >= 512 &&
					       number < 548 ?
				       CLOSED :
				       ABSENT,
			       "of a newer kernel", number);
	}
}

static void x32_is_closed(void **state)
{
	struct confine_filter filter = build(state, X86, &plain);

	for (uint32_t number = 0; number < 1024; number++)
		expect(ask(&filter, X86, X32_BIT | number, NULL), CLOSED, "x32",
		       number);
	expect(ask(&filter, X86, X32_BIT - 1, NULL), ABSENT, "before", 0);
	expect(ask(&filter, X86, UINT32_MAX - 1, NULL), CLOSED, "after", 0);
	expect(ask(&filter, X86, 0x80000000, NULL), CLOSED, "negative", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_are_those_of_the_rules),
		cmocka_unit_test(fast_open_is_refused_where_asked),
		cmocka_unit_test(other_abis_are_closed),
		cmocka_unit_test(x32_is_closed),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
