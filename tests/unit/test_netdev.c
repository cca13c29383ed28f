/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_netdev.c - netlink requests, addresses kept, counters. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/util.h"
#include "network/netdev.h"
#include "network/network.h"
#include "oci/write.h"

#include <cmocka.h>

static void attributes_are_aligned(void **state)
{
	struct ifinfomsg link = { .ifi_index = 7 };
	struct netlink_request request;
	const char *p = request.bytes + NLMSG_LENGTH(sizeof link);
	const struct rtattr *attr = (const struct rtattr *)p;

	(void)state;
	netlink_begin(&request, RTM_NEWLINK, NLM_F_ACK, &link, sizeof link);
	netlink_put_text(&request, IFLA_IFNAME, "eth10");
	netlink_put(&request, IFLA_NET_NS_FD, &(int){ 5 }, sizeof(int));
	assert_false(request.full);
	assert_int_equal(request.header.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	assert_int_equal(attr->rta_len, 4 + 6);
	assert_string_equal(RTA_DATA(attr), "eth10");
	attr = (const struct rtattr *)(p + 12);
	assert_int_equal(attr->rta_type, IFLA_NET_NS_FD);
	assert_int_equal(*(int *)RTA_DATA(attr), 5);
	assert_int_equal(request.header.nlmsg_len, 16 + 16 + 12 + 8);
}

static void an_attribute_that_does_not_fit_is_remembered(void **state)
{
	char large[NETLINK_REQUEST_SIZE] = "";
	struct ifinfomsg link = { 0 };
	struct netlink_request request;

	(void)state;
	netlink_begin(&request, RTM_NEWLINK, 0, &link, sizeof link);
	netlink_put(&request, IFLA_IFALIAS, large, sizeof large);
	assert_true(request.full);
	assert_int_equal(request.header.nlmsg_len, 32);
	assert_int_equal(netlink_call(-1, &request), -EMSGSIZE);
}

static void keeps_permanent_global_addresses(void **state)
{
	static const struct {
		uint8_t family, scope;
		uint32_t flags;
		bool keep;
		uint32_t kept_flags;
	} rows[] = {
		{ AF_INET, RT_SCOPE_UNIVERSE, IFA_F_PERMANENT, true, 0 },
		{ AF_INET6, RT_SCOPE_UNIVERSE, IFA_F_PERMANENT, true, 0 },
		{ AF_INET, RT_SCOPE_UNIVERSE, IFA_F_PERMANENT | IFA_F_SECONDARY,
		  true, 0 },
		{ AF_INET6, RT_SCOPE_UNIVERSE,
		  IFA_F_PERMANENT | IFA_F_TENTATIVE | IFA_F_NODAD |
			  IFA_F_NOPREFIXROUTE,
		  true, IFA_F_NODAD | IFA_F_NOPREFIXROUTE },
		{ AF_INET, RT_SCOPE_UNIVERSE, 0, false, 0 },
		{ AF_INET, RT_SCOPE_LINK, IFA_F_PERMANENT, false, 0 },
		{ AF_INET6, RT_SCOPE_HOST, IFA_F_PERMANENT, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ifaddrmsg given = {
			.ifa_family = rows[i].family,
			.ifa_scope = rows[i].scope,
			.ifa_flags = (uint8_t)rows[i].flags,
			.ifa_prefixlen = 24,
			.ifa_index = 3,
		};
		struct netlink_request answer, request;
		struct ifaddrmsg *address = NLMSG_DATA(&request.header);
		const struct rtattr *attr = IFA_RTA(address);

		netlink_begin(&answer, RTM_NEWADDR, 0, &given, sizeof given);
		netlink_put_text(&answer, IFA_LABEL, "eth0");
		netlink_put(&answer, IFA_LOCAL, "\x0a\x01\x02\x03", 4);
		netlink_put(&answer, IFA_FLAGS, &rows[i].flags, 4);
		assert_int_equal(netdev_keep_address(&answer.header, 9,
						     &request),
				 rows[i].keep);
		if (!rows[i].keep)
			continue;
		assert_int_equal(address->ifa_index, 9);
		assert_int_equal(address->ifa_prefixlen, 24);
		assert_int_equal(attr->rta_type, IFA_LOCAL);
		assert_memory_equal(RTA_DATA(attr), "\x0a\x01\x02\x03", 4);
		attr = (const struct rtattr *)((const char *)attr + 8);
		assert_int_equal(attr->rta_type, IFA_FLAGS);
		assert_int_equal(*(uint32_t *)RTA_DATA(attr),
				 rows[i].kept_flags);
	}
}

static void stats_are_of_every_interface(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "[]" },
		{ "Inter-|   Receive  |  Transmit\n"
		  " face |bytes    packets errs drop|bytes    packets\n",
		  "[]" },
		{ " face |bytes\n"
		  "    lo:     196       2    0    0    0     0          0"
		  "         0      196       2    0    0    0     0       0"
		  "          0\n"
		  "enp0s31f6:1 2 3 4 5 6 7 8 18446744073709551615 10 11 12 13 "
		  "14 15 16\n",
		  "[{\"Name\":\"lo\",\"RxBytes\":196,\"RxPackets\":2,"
		  "\"RxErrors\":0,\"RxDropped\":0,\"TxBytes\":196,"
		  "\"TxPackets\":2,\"TxErrors\":0,\"TxDropped\":0},"
		  "{\"Name\":\"enp0s31f6\",\"RxBytes\":1,\"RxPackets\":2,"
		  "\"RxErrors\":3,\"RxDropped\":4,"
		  "\"TxBytes\":18446744073709551615,\"TxPackets\":10,"
		  "\"TxErrors\":11,\"TxDropped\":12}]" },
		/* Too few numbers, and a name that is none. */
		{ "  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
		  "  eth1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 x\n"
		  "  sixteen-letters-: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
		  "[]" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO(arena_close) struct arena arena = { 0 };
		struct writer w;
		const char *text;

		assert_int_equal(arena_open(&arena, 1 << 16), 0);
		writer_open(&w, &arena, WRITE_COMPACT);
		network_put_stats(&w, NULL, cases[i].text);
		assert_int_equal(writer_close(&w, &text, NULL), 0);
		assert_string_equal(text, cases[i].want);
	}
}

static int exit_status_of(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* In a process of its own: begin, fork at once, and wait in both. */
static _Noreturn void begin_and_fork(void)
{
	int proc = open("/proc", O_PATH | O_CLOEXEC), status = -1;
	struct network_early *early = network_begin(proc);
	pid_t pid = fork();

	if (pid < 0)
		_exit(1);
	alarm(20);
	(void)network_wait(early);
	if (pid == 0)
		_exit(0);
	_exit(waitpid(pid, &status, 0) != pid || status != 0);
}

static void a_process_forked_meanwhile_does_not_wait_forever(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0)
			begin_and_fork();
		assert_int_equal(exit_status_of(pid), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_aligned),
		cmocka_unit_test(an_attribute_that_does_not_fit_is_remembered),
		cmocka_unit_test(keeps_permanent_global_addresses),
		cmocka_unit_test(stats_are_of_every_interface),
		cmocka_unit_test(
			a_process_forked_meanwhile_does_not_wait_forever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
