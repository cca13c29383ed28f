/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_attribute_calls.c - which system call or address failed, and
 * which key of the policy is why.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/util.h"
#include "confine/calls.h"
#include "runtime/denials/attribute.h"
#include "tests/unit/attribute_scene.h"

#define X86 AUDIT_ARCH_X86_64

static void names_groups_and_keys(void **state)
{
	static const struct {
		const char *call;
		uint64_t first;
		enum policy_mode mode;
		const char *told;
	} rows[] = {
		{ "unshare", 0, POLICY_MODE_DENY,
		  "denied: call unshare (syscalls: namespaces); "
		  "to allow it: --syscalls-extra-allow namespaces\n" },
		{ "clone", 0, POLICY_MODE_DENY,
		  "denied: call clone (syscalls: namespaces); "
		  "to allow it: --syscalls-extra-allow namespaces\n" },
		{ "listen", 0, POLICY_MODE_DENY,
		  "denied: call listen (syscalls.extra_deny: listen); "
		  "to allow it: remove --syscalls-extra-deny listen\n" },
		{ "bpf", 0, POLICY_MODE_DENY,
		  "denied: call bpf (syscalls.extra_deny: bpf); "
		  "to allow it: remove --syscalls-extra-deny bpf, and add "
		  "--syscalls-extra-allow bpf\n" },
		{ "memfd_create", 0, POLICY_MODE_DENY,
		  "denied: call memfd_create (filesystem.execute is set, and "
		  "a file in memory could execute anything); "
		  "to allow it: remove filesystem.execute (-x)\n" },
		{ "socket", AF_INET, POLICY_MODE_DENY,
		  "denied: socket AF_INET (network.mode: deny); "
		  "to allow it: --network-mode loopback "
		  "(other hosts: --net-allow HOST:PORT, or open)\n" },
		{ "socket", AF_INET6, POLICY_MODE_OPEN,
		  "denied: socket AF_INET6 (syscalls: raw_sockets); "
		  "to allow it: --syscalls-extra-allow raw_sockets\n" },
		{ "socket", AF_PACKET, POLICY_MODE_DENY,
		  "denied: socket AF_PACKET (syscalls: raw_sockets); "
		  "no flag allows it: it needs a capability, and a sandbox "
		  "has none\n" },
		{ "socket", 30, POLICY_MODE_OPEN,
		  "denied: socket AF_TIPC (syscalls: raw_sockets); "
		  "to allow it: --syscalls-extra-allow raw_sockets\n" },
		{ "socket", 63, POLICY_MODE_OPEN,
		  "denied: socket of family 63 (syscalls: raw_sockets); "
		  "to allow it: --syscalls-extra-allow raw_sockets\n" },
		{ "sendto", 0, POLICY_MODE_DENY,
		  "denied: call sendto (MSG_FASTOPEN would connect to a port "
		  "without a check); call connect() first\n" },
		{ "read", 0, POLICY_MODE_DENY, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint64_t args[6] = { rows[i].first };
		int number = call_number(X86, rows[i].call);
		struct scene scene;

		open_scene(&scene, "/");
		scene.policy.mode = rows[i].mode;
		assert_int_equal(attribute_call(&scene.attribution, X86,
						(uint64_t)number, args),
				 0);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void names_addresses(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(443) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(53) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct scene scene;

	(void)state;
	inet_pton(AF_INET, "192.0.2.1", &in.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1", &in6.sin6_addr);
	open_scene(&scene, folder);
	scene.policy.mode = POLICY_MODE_LOOPBACK;
	attribute_address(&scene.attribution, "connect", &in, sizeof in,
			  ENETUNREACH);
	attribute_address(&scene.attribution, "sendto", &in6, sizeof in6,
			  ENETUNREACH);
	/* A server that says no; too short; none of the network's. */
	attribute_address(&scene.attribution, "connect", &in, sizeof in,
			  ECONNREFUSED);
	attribute_address(&scene.attribution, "connect", &in, 4, ENETUNREACH);
	attribute_address(&scene.attribution, "connect", &un, 1, ENOENT);
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ECONNREFUSED);
	snprintf(un.sun_path, sizeof un.sun_path, "/opt/sock");
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ENOENT);
	attribute_address(&scene.attribution, "bind", &un, sizeof un, ENOENT);
	assert_string_equal(
		told(&scene),
		"denied: connect 192.0.2.1:443 (network.mode: loopback); "
		"to allow it: --network-mode open\n"
		"denied: send [2001:db8::1]:53 (network.mode: loopback); "
		"to allow it: --network-mode open\n"
		"denied: write /opt/sock (not in filesystem.write); "
		"to allow it: -w /opt\n");
}

/* TCP that Landlock refused, or would not have. */
static void names_ports(void **state)
{
	static const struct kernel_landlock_port ports[] = {
		{ LANDLOCK_ACCESS_NET_BIND_TCP, 80 },
		{ LANDLOCK_ACCESS_NET_CONNECT_TCP, 443 },
	};
	static const struct landlock_plan some = {
		.handled.handled_net = LANDLOCK_ACCESS_NET_BIND_TCP,
		.ports = ports,
		.nports = COUNT(ports),
	};
	static const struct landlock_plan both = {
		.handled.handled_net = LANDLOCK_ACCESS_NET_BIND_TCP |
				       LANDLOCK_ACCESS_NET_CONNECT_TCP,
		.ports = ports,
		.nports = COUNT(ports),
	};
	static const char *closed[] = { "22", "8000-8080" };
	static const struct {
		const struct landlock_plan *net;
		const char *call;
		uint16_t port;
		const char *told;
	} rows[] = {
		{ NULL, "bind", 81, "" },
		{ &some, "bind", 80, "" },
		{ &some, "bind", 443,
		  "denied: bind 127.0.0.1:443 (not in "
		  "network.bind); to allow it: --net-bind 443\n" },
		{ &some, "bind", 0,
		  "denied: bind 127.0.0.1:0 (not in network.bind); "
		  "to allow it: --net-bind 0\n" },
		{ &some, "bind", 8080,
		  "denied: bind 127.0.0.1:8080 (network.deny_bind: "
		  "8000-8080); to allow it: remove --network-deny-bind "
		  "8000-8080\n" },
		{ &some, "connect", 80, "" },
		{ &both, "connect", 443, "" },
		{ &both, "connect", 80,
		  "denied: connect 127.0.0.1:80 (network.mode: deny); "
		  "to allow it: --network-mode loopback\n" },
	};
	struct sockaddr_in in = { .sin_family = AF_INET };

	(void)state;
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scene scene;

		open_scene(&scene, "/");
		scene.attribution.net = rows[i].net;
		scene.policy.deny_bind =
			(struct strings){ closed, COUNT(closed) };
		in.sin_port = htons(rows[i].port);
		attribute_port(&scene.attribution, rows[i].call, &in,
			       sizeof in);
		/* Too short for a port, and none of the network's. */
		attribute_port(&scene.attribution, rows[i].call, &in, 3);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void names_what_is_lost_without_namespaces(void **state)
{
	static const struct {
		bool no_namespaces;
		const char *call;
		uint64_t args[6];
		const char *told;
	} rows[] = {
		{ false,
		  "fchmodat",
		  { 0, 0, 04755 },
		  "denied: call fchmodat (syscalls: suid); "
		  "to allow it: --syscalls-extra-allow suid\n" },
		{ false, "fchownat", { 0 }, "" },
		{ false, "prlimit64", { 1 }, "" },
		{ true,
		  "prlimit64",
		  { 1 },
		  "denied: call prlimit64 (without namespaces, it may change "
		  "its own limits and priorities but not those of other "
		  "processes); "
		  "run it where namespaces are available, as sandlock check "
		  "shows\n" },
		{ true,
		  "mq_unlink",
		  { 0 },
		  "denied: call mq_unlink (without namespaces, message queues "
		  "are shared with the host); "
		  "run it where namespaces are available, as sandlock check "
		  "shows\n" },
		{ true,
		  "ioctl",
		  { 0, FS_IOC_SETFLAGS },
		  "denied: call ioctl (without namespaces, modes, owners, "
		  "times and attributes cannot be changed); "
		  "run it where namespaces are available, as sandlock check "
		  "shows\n" },
		{ true,
		  "ioctl",
		  { 0, TIOCSTI },
		  "denied: call ioctl (syscalls: terminal); "
		  "to allow it: --syscalls-extra-allow terminal\n" },
		{ true,
		  "ioctl",
		  { 0, TIOCEXCL },
		  "denied: call ioctl (syscalls: terminal); "
		  "to allow it: --syscalls-extra-allow terminal\n" },
		{ true,
		  "ioctl",
		  { UINT64_MAX },
		  "denied: call ioctl (syscalls: terminal); "
		  "to allow it: --syscalls-extra-allow terminal\n" },
		{ true,
		  "fchmodat",
		  { 0 },
		  "denied: call fchmodat (without namespaces, modes, owners, "
		  "times and attributes cannot be changed); "
		  "run it where namespaces are available, as sandlock check "
		  "shows\n" },
		{ true,
		  "socket",
		  { AF_UNIX },
		  "denied: socket AF_UNIX (without namespaces, Unix sockets "
		  "outside the sandbox cannot be hidden); "
		  "run it where namespaces are available, as sandlock check "
		  "shows\n" },
		{ false,
		  "socket",
		  { AF_UNIX },
		  "denied: socket AF_UNIX (syscalls: raw_sockets); "
		  "to allow it: --network-mode open --syscalls-extra-allow "
		  "raw_sockets\n" },
		{ false,
		  "socket",
		  { AF_INET6, SOCK_RAW | SOCK_CLOEXEC },
		  "denied: socket AF_INET6 SOCK_RAW (network.mode: deny); "
		  "no flag allows it: it needs a capability, and a sandbox "
		  "has none\n" },
		{ true,
		  "socket",
		  { AF_INET, SOCK_DGRAM },
		  "denied: socket AF_INET (network.mode: deny); "
		  "to allow it: --network-mode open\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int number = call_number(X86, rows[i].call);
		struct scene scene;

		open_scene(&scene, "/");
		scene.attribution.no_namespaces = rows[i].no_namespaces;
		attribute_call(&scene.attribution, X86, (uint64_t)number,
			       rows[i].args);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void names_sockets_of_the_host(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct scene scene;

	(void)state;
	snprintf(un.sun_path, sizeof un.sun_path, "%s/private/s", folder);
	assert_int_equal(bind(sock, (void *)&un, sizeof un), 0);
	snprintf(un.sun_path, sizeof un.sun_path, "/private/s");
	open_scene(&scene, folder);
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ENOENT);
	assert_string_equal(told(&scene), "denied: connect /private/s (not in "
					  "network.unix); to allow it: "
					  "-r /private/s "
					  "--network-unix /private/s\n");
	open_scene(&scene, folder);
	sockets[0] = "/private";
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ENOENT);
	sockets[0] = "/run/listed";
	assert_string_equal(told(&scene), "");
	close(sock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_groups_and_keys),
		cmocka_unit_test(names_addresses),
		cmocka_unit_test(names_ports),
		cmocka_unit_test(names_what_is_lost_without_namespaces),
		cmocka_unit_test(names_sockets_of_the_host),
	};

	return cmocka_run_group_tests(tests, prepare, clear);
}
