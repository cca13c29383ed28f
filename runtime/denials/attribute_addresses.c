/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/attribute_addresses.c - find the key that denied an address,
 * a port or a Unix socket.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/landlock.h"
#include "policy/net_rule.h"
#include "policy/policy.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"
#include "runtime/denials/hint.h"
#include "runtime/enforce/view.h"

static const char *mode_name(const struct policy *policy)
{
	return policy->mode == POLICY_MODE_LOOPBACK ? "loopback" : "deny";
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
		.add = hint_set(attribution, KEY_NET_MODE, "open"),
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

static bool is_loopback(const void *address)
{
	const struct sockaddr_in *in = address;
	const struct sockaddr_in6 *in6 = address;

	return in->sin_family == AF_INET ?
		       ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET :
		       IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

static const uint8_t *bytes_of(const void *address, enum net_host_kind *ret)
{
	const struct sockaddr_in *in = address;
	const struct sockaddr_in6 *in6 = address;

	*ret = in->sin_family == AF_INET ? NET_HOST_IPV4 : NET_HOST_IPV6;
	return in->sin_family == AF_INET ? (const void *)&in->sin_addr :
					   (const void *)&in6->sin6_addr;
}

/* True for a rule with this address; rules with names are not compared. */
static bool has_address(const struct net_host *host, const void *address)
{
	enum net_host_kind kind;
	const uint8_t *bytes = bytes_of(address, &kind);
	size_t whole = host->prefix / 8;
	uint8_t mask = (uint8_t)(0xff00 >> host->prefix % 8);

	if (host->kind != kind)
		return host->kind == NET_HOST_ANY;
	return memcmp(host->address, bytes, whole) == 0 &&
	       (!mask ||
		(host->address[whole] & mask) == (bytes[whole] & mask));
}

static bool has_destination(struct arena *arena, const char *text,
			    const void *address)
{
	struct net_rule rule;

	if (net_rule_parse(arena, text, &rule) < 0) {
		err_clear();
		return false;
	}
	if (rule.protocol != NET_TCP || !has_address(&rule.host, address))
		return false;
	for (size_t i = 0; i < rule.n_ports; i++)
		if (rule.ports[i].first <= port_of(address) &&
		    port_of(address) <= rule.ports[i].last)
			return true;
	return rule.n_ports == 0;
}

static const char *find_rule(const struct attribution *attribution,
			     const struct strings *rules, const void *address)
{
	for (size_t i = 0; i < rules->n; i++)
		if (has_destination(attribution->denials->arena,
				    rules->items[i], address))
			return rules->items[i];
	return NULL;
}

/* No rule allows the destination, or one of network.deny has it. */
static int attribute_rules(const struct attribution *attribution,
			   const void *address)
{
	const struct policy *policy = attribution->policy;
	const char *rule = find_rule(attribution, &policy->net_deny, address);
	bool is_unlisted = policy->net_allow.n &&
			   !find_rule(attribution, &policy->net_allow, address);
	char text[INET6_ADDRSTRLEN + 16];
	struct denial denial = {
		.operation = "connect",
		.target = text,
		.key = rule ? "network.deny" : "network.allow",
		.item = rule,
	};
	const char *add;

	if (!rule && !policy->net_allow.n)
		return 0;
	print_address(address, text, sizeof text);
	add = hint_add(attribution, KEY_NET_ALLOW, text);
	denial.add = rule ? hint_remove(attribution, denial.key, rule) : add;
	if (rule && is_unlisted && denial.add && add)
		denial.add = hint_both(attribution, denial.add, add);
	return denials_add(attribution->denials, &denial);
}

int attribute_port(const struct attribution *attribution, const char *operation,
		   const void *address, uint64_t size)
{
	const struct strings *closed = &attribution->policy->deny_bind;
	char text[INET6_ADDRSTRLEN + 16], port[8];
	struct denial denial = { .operation = operation, .target = text };
	bool binds = streq(operation, "bind");

	if (!is_of_inet(address, size))
		return 0;
	if (is_allowed(attribution->net,
		       binds ? LANDLOCK_ACCESS_NET_BIND_TCP :
			       LANDLOCK_ACCESS_NET_CONNECT_TCP,
		       port_of(address)))
		return binds ? 0 : attribute_rules(attribution, address);
	print_address(address, text, sizeof text);
	denial.key = binds ? "network.bind" : "network.mode";
	denial.item = binds ? NULL : mode_name(attribution->policy);
	snprintf(port, sizeof port, "%u", port_of(address));
	denial.add =
		binds ? hint_add(attribution, KEY_NET_BIND, port) :
			hint_set(attribution, KEY_NET_MODE,
				 is_loopback(address) &&
						 !attribution->no_namespaces ?
					 "loopback" :
					 "open");
	for (size_t i = 0; binds && i < closed->n; i++)
		if (has_port(closed->items[i], port_of(address))) {
			denial.key = "network.deny_bind";
			denial.item = closed->items[i];
			denial.add = hint_remove(attribution, denial.key,
						 denial.item);
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

/* A socket that is not shown at all must also be readable. */
static const char *hint_unix(const struct attribution *attribution,
			     const char *path)
{
	const char *unix_ = hint_add(attribution, KEY_UNIX, path), *read;
	struct denial denial;

	if (attribution->bundle ||
	    !attribute_judge(attribution, path, LANDLOCK_MAY_READ, &denial))
		return unix_;
	read = hint_add(attribution, KEY_READ, path);
	return unix_ && read ? arena_printf(attribution->denials->arena,
					    "%s %s", read, unix_) :
			       NULL;
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
		.name = true,
	};
	struct denial denial = {
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
	denial.add = hint_unix(attribution, path);
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
