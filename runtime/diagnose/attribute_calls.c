/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/attribute_calls.c - find the key that denied a system call.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/calls.h"
#include "confine/confine.h"
#include "confine/landlock.h"
#include "policy/net_rule.h"
#include "policy/policy.h"
#include "policy/syscalls.h"
#include "runtime/diagnose/attribute.h"
#include "runtime/diagnose/denials.h"
#include "runtime/enforce/no_namespaces.h"
#include "runtime/enforce/view.h"

#define FILES_STAY                                                        \
	"without namespaces, modes, owners, times and attributes cannot " \
	"be changed"

static const char *find_in(const char *const *names, uint32_t arch,
			   uint64_t number)
{
	for (; *names; names++)
		if (call_number(arch, *names) == (int)number)
			return *names;
	return NULL;
}

/* ---- sockets ---- */

static bool is_inet(int family)
{
	return family == AF_INET || family == AF_INET6;
}

static int type_of(const uint64_t args[6])
{
	return (int)args[1] & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void print_family(const uint64_t args[6], char *ret, size_t size)
{
	static const struct {
		int family;
		const char *name;
	} names[] = {
		{ AF_UNIX, "AF_UNIX" },	      { AF_INET, "AF_INET" },
		{ AF_INET6, "AF_INET6" },     { AF_PACKET, "AF_PACKET" },
		{ AF_NETLINK, "AF_NETLINK" }, { AF_VSOCK, "AF_VSOCK" },
		{ AF_ALG, "AF_ALG" },	      { AF_BLUETOOTH, "AF_BLUETOOTH" },
		{ AF_TIPC, "AF_TIPC" },	      { AF_CAN, "AF_CAN" },
		{ AF_KEY, "AF_KEY" },	      { AF_XDP, "AF_XDP" },
	};
	int family = (int)args[0];

	snprintf(ret, size, "of family %d", family);
	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].family == family)
			snprintf(ret, size, "%s%s", names[i].name,
				 is_inet(family) && type_of(args) == SOCK_RAW ?
					 " SOCK_RAW" :
					 "");
}

static const char *mode_name(const struct policy *policy)
{
	return policy->mode == POLICY_MODE_LOOPBACK ? "loopback" : "deny";
}

/*
 * Raw sockets need network access, too. Where the filter denies Unix sockets,
 * no syscall group would allow the call.
 */
static const char *add_for_socket(const struct attribution *attribution,
				  const uint64_t args[6])
{
	bool denied = attribution->policy->mode == POLICY_MODE_DENY;

	if (denied && is_inet((int)args[0]) && type_of(args) != SOCK_RAW)
		return attribution->no_namespaces ?
			       "--network-mode open" :
			       "--network-mode loopback or open";
	if (attribution->no_namespaces && !attribution->judges_sockets)
		return NULL;
	return denied ? "--network-mode open --syscalls-extra-allow "
			"raw_sockets" :
			"--syscalls-extra-allow raw_sockets";
}

static int attribute_socket(const struct attribution *attribution,
			    const uint64_t args[6])
{
	char family[32];
	struct denial denial = {
		.operation = "socket",
		.target = family,
		.key = "syscalls",
		.item = "raw_sockets",
		.add = add_for_socket(attribution, args),
	};

	print_family(args, family, sizeof family);
	/* The audit log does not contain the family. */
	if (args[0] == UINT64_MAX) {
		denial.target = "of unknown family";
		denial.key = denial.add = NULL;
		denial.note = attribution->policy->mode == POLICY_MODE_DENY ?
				      "network.mode: deny, or syscalls: "
				      "raw_sockets" :
				      "syscalls: raw_sockets";
	}
	if (is_inet((int)args[0]) &&
	    attribution->policy->mode == POLICY_MODE_DENY) {
		denial.key = "network.mode";
		denial.item = mode_name(attribution->policy);
	}
	if (attribution->no_namespaces && args[0] == AF_UNIX) {
		denial.key = denial.add = NULL;
		denial.note = "without namespaces, Unix sockets outside the "
			      "sandbox cannot be hidden";
	}
	return denials_add(attribution->denials, &denial);
}

/* ---- other calls ---- */

static const char *group_of(uint32_t arch, uint64_t number,
			    const char **ret_name)
{
	for (int i = 0; i < SYSCALLS_GROUPS; i++) {
		const struct syscall_group_info *info = syscall_group_info(i);
		const char *name = find_in(info->calls, arch, number);

		if (!name)
			name = find_in(info->filtered, arch, number);
		if (!name)
			continue;
		*ret_name = name;
		return info->name;
	}
	return NULL;
}

static bool is_extra(const struct policy *policy, uint32_t arch,
		     uint64_t number, const char **ret_name)
{
	for (size_t i = 0; i < policy->extra_deny.n; i++) {
		const char *name = policy->extra_deny.items[i];

		if (call_number(arch, name) == (int)number) {
			*ret_name = name;
			return true;
		}
	}
	return false;
}

static const char *find_bare(const struct attribution *attribution,
			     uint32_t arch, uint64_t number)
{
	const char *name;

	if (!attribution->no_namespaces)
		return NULL;
	name = find_in(no_namespaces_calls, arch, number);
	return name ? name : confine_process_call(arch, number);
}

static const char *no_namespaces_note(const char *name, uint32_t arch,
				      uint64_t number)
{
	if (confine_process_call(arch, number))
		return "without namespaces, it may change its own limits and "
		       "priorities but not those of other processes";
	if (streq(name, "mq_open") || streq(name, "mq_unlink"))
		return "without namespaces, message queues are shared with the "
		       "host";
	return FILES_STAY;
}

/* The audit log does not contain the request; most are for terminals. */
static bool is_of_file(const char *name, const uint64_t args[6])
{
	return streq(name, "ioctl") && args[0] != UINT64_MAX &&
	       !confine_is_terminal(args[1]);
}

static int attribute_group(const struct attribution *attribution,
			   const char *group, const char *name,
			   const uint64_t args[6])
{
	char add[96];
	struct denial denial = {
		.operation = "call",
		.target = name,
		.key = "syscalls",
		.item = group,
		.add = add,
	};

	if (streq(name, "socket") || streq(name, "socketpair"))
		return attribute_socket(attribution, args);
	snprintf(add, sizeof add, "--syscalls-extra-allow %s", group);
	if (strings_has(&attribution->policy->extra_deny, group)) {
		denial.key = "syscalls.extra_deny";
		denial.add = NULL;
	}
	if (attribution->no_namespaces && is_of_file(name, args)) {
		denial.key = denial.item = denial.add = NULL;
		denial.note = FILES_STAY;
	}
	return denials_add(attribution->denials, &denial);
}

/* Find what denied the call, other than a syscall group. */
static bool find_reason(const struct attribution *attribution, uint32_t arch,
			uint64_t number, struct denial *ret)
{
	static const char *const sends[] = { "sendto", "sendmsg", "sendmmsg",
					     NULL };

	if (is_extra(attribution->policy, arch, number, &ret->target)) {
		ret->key = "syscalls.extra_deny";
		ret->item = ret->target;
	} else if ((ret->target = find_bare(attribution, arch, number))) {
		ret->note = no_namespaces_note(ret->target, arch, number);
	} else if (call_number(arch, "memfd_create") == (int)number) {
		ret->target = "memfd_create";
		ret->key = "filesystem.execute";
	} else if ((ret->target = find_in(sends, arch, number))) {
		ret->note = "MSG_FASTOPEN would connect to a port without a "
			    "check: call connect() first";
	}
	return ret->target;
}

int attribute_call(const struct attribution *attribution, uint32_t arch,
		   uint64_t number, const uint64_t args[6])
{
	struct denial denial = { .operation = "call" };
	const char *name = NULL, *group;

	if (find_reason(attribution, arch, number, &denial))
		return denials_add(attribution->denials, &denial);
	group = group_of(arch, number, &name);
	return group ? attribute_group(attribution, group, name, args) : 0;
}

int attribute_abi(const struct attribution *attribution)
{
	const struct denial denial = {
		.operation = "call",
		.target = "of another ABI",
		.note = "programs for i386 and x32 are killed under any policy",
	};

	return denials_add(attribution->denials, &denial);
}

/* ---- addresses ---- */

static void print_address(const void *address, char *ret, size_t size)
{
	const struct sockaddr_in *in = address;
	const struct sockaddr_in6 *in6 = address;
	char text[INET6_ADDRSTRLEN] = "";

	if (in->sin_family == AF_INET) {
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
		snprintf(ret, size, "%s:%u", text, ntohs(in->sin_port));
	} else {
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof text);
		snprintf(ret, size, "[%s]:%u", text, ntohs(in6->sin6_port));
	}
}

/* The sandbox has its own network without connections. */
static int attribute_inet(const struct attribution *attribution,
			  const char *operation, const void *address, int error)
{
	char text[INET6_ADDRSTRLEN + 16];
	const struct denial denial = {
		.operation = streq(operation, "sendto") ? "send" : operation,
		.target = text,
		.key = "network.mode",
		.item = mode_name(attribution->policy),
	};

	if (attribution->policy->mode == POLICY_MODE_OPEN ||
	    (error != ENETUNREACH && error != EHOSTUNREACH))
		return 0;
	print_address(address, text, sizeof text);
	return denials_add(attribution->denials, &denial);
}

/* ---- ports, by Landlock ---- */

static bool has_port(const char *item, uint16_t port)
{
	struct net_ports range;

	if (streq(item, "*"))
		return true;
	if (net_ports_parse(item, 0, &range) < 0) {
		err_clear();
		return false;
	}
	return range.first <= port && port <= range.last;
}

static bool is_allowed(const struct landlock_plan *net, uint64_t access,
		       uint16_t port)
{
	if (!net || !(net->handled.handled_net & access))
		return true;
	for (size_t i = 0; i < net->nports; i++)
		if (net->ports[i].port == port &&
		    net->ports[i].allowed & access)
			return true;
	return false;
}

/* sockaddr_in and sockaddr_in6 have the port at the same offset. */
static uint16_t port_of(const void *address)
{
	const struct sockaddr_in *in = address;

	return ntohs(in->sin_port);
}

static bool is_of_inet(const void *address, uint64_t size)
{
	const struct sockaddr *addr = address;

	if (size < sizeof(sa_family_t))
		return false;
	return (addr->sa_family == AF_INET &&
		size >= sizeof(struct sockaddr_in)) ||
	       (addr->sa_family == AF_INET6 &&
		size >= offsetof(struct sockaddr_in6, sin6_scope_id));
}

int attribute_port(const struct attribution *attribution, const char *operation,
		   const void *address, uint64_t size)
{
	const struct strings *closed = &attribution->policy->deny_bind;
	char text[INET6_ADDRSTRLEN + 16];
	struct denial denial = { .operation = operation, .target = text };
	bool binds = streq(operation, "bind");

	if (!is_of_inet(address, size) ||
	    is_allowed(attribution->net,
		       binds ? LANDLOCK_ACCESS_NET_BIND_TCP :
			       LANDLOCK_ACCESS_NET_CONNECT_TCP,
		       port_of(address)))
		return 0;
	print_address(address, text, sizeof text);
	denial.key = binds ? "network.bind" : "network.mode";
	denial.item = binds ? NULL : mode_name(attribution->policy);
	for (size_t i = 0; binds && i < closed->n; i++)
		if (has_port(closed->items[i], port_of(address))) {
			denial.key = "network.deny_bind";
			denial.item = closed->items[i];
		}
	return denials_add(attribution->denials, &denial);
}

/* ---- sockets with a path ---- */

static bool is_listed(const struct policy *policy, const char *path)
{
	for (size_t i = 0; i < policy->unix_.n; i++) {
		const char *listed = policy->unix_.items[i];

		if (files_is_at_or_below(path, listed + (listed[0] == '-')))
			return true;
	}
	return false;
}

static bool is_socket(const struct attribution *attribution, const char *path)
{
	autoclose int fd =
		root_open(attribution->root, path, O_PATH | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

int attribute_unix(const struct attribution *attribution, const char *operation,
		   const char *path, int error)
{
	const struct attribute_path made = {
		.path = path,
		.rights = LANDLOCK_MAY_WRITE,
		.error = error,
		.makes = true,
		.link = true,
	};
	const struct denial denial = {
		.operation = "connect",
		.target = path,
		.key = "network.unix",
	};

	/* Skip abstract and relative names. */
	if (path[0] != '/')
		return 0;
	if (streq(operation, "bind"))
		return attribute_file(attribution, &made);
	if ((error != ENOENT && error != ECONNREFUSED && error != EACCES &&
	     error != EPERM) ||
	    is_listed(attribution->policy, path) ||
	    !is_socket(attribution, path))
		return 0;
	return denials_add(attribution->denials, &denial);
}

int attribute_address(const struct attribution *attribution,
		      const char *operation, const void *address, uint64_t size,
		      int error)
{
	const struct sockaddr *addr = address;
	const struct sockaddr_un *un = address;
	size_t before = offsetof(struct sockaddr_un, sun_path);
	char path[sizeof un->sun_path + 1] = "";

	if (size < sizeof(sa_family_t))
		return 0;
	if (addr->sa_family == AF_UNIX && size > before) {
		memcpy(path, un->sun_path,
		       size > sizeof *un ? sizeof un->sun_path : size - before);
		return attribute_unix(attribution, operation, path, error);
	}
	if (is_of_inet(address, size))
		return attribute_inet(attribution, operation, address, error);
	return 0;
}
