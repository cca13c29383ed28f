/* SPDX-License-Identifier: Apache-2.0 */
/* network/published.c - take ports of the host's loopback. */
#include "network/published.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "network/address.h"
#include "policy/policy.h"

#define MOST_PORTS 256
#define BACKLOG 4096
#define TRIES 32

static const struct net_address loopback[] = {
	{ .family = AF_INET, .bytes = { 127, 0, 0, 1 } },
	{ .family = AF_INET6, .bytes = { [15] = 1 } },
};

/* ---- sockets ---- */

static void set_reuse(int fd, int on)
{
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

static int listen_on(int fd)
{
	set_reuse(fd, 1);
	return listen(fd, BACKLOG) < 0 ? -errno : 0;
}

/* From now on nobody else can bind the port, although we do not listen. */
static void stop_on(int fd)
{
	set_reuse(fd, 0);
	(void)shutdown(fd, SHUT_RDWR);
}

int net_port_listen(struct net_port *port)
{
	int r = 0;

	for (size_t i = 0; i < 2 && r == 0; i++)
		if (port->fds[i] >= 0)
			r = listen_on(port->fds[i]);
	port->listens = r == 0;
	if (r < 0)
		net_port_stop(port);
	return r;
}

void net_port_stop(struct net_port *port)
{
	for (size_t i = 0; i < 2; i++)
		if (port->fds[i] >= 0)
			stop_on(port->fds[i]);
	port->listens = false;
}

/*
 * Bind one address; connections that have just ended are no hindrance, so
 * listen for a moment to find out whether anybody else has the port.
 */
static int take(const struct net_address *address, uint16_t port, int *ret)
{
	struct net_endpoint at = { *address, port };
	struct sockaddr_storage own;
	socklen_t len = net_endpoint_write(&at, &own);
	autoclose int fd = socket(address->family,
				  SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
				  0);
	int r;

	if (fd < 0)
		return -errno;
	set_reuse(fd, 1);
	if (bind(fd, (struct sockaddr *)&own, len) < 0)
		return -errno;
	r = listen_on(fd);
	if (r < 0)
		return r;
	stop_on(fd);
	*ret = take_fd(&fd);
	return 0;
}

/*
 * Ask the kernel for a port that is free. It would not keep one that it has
 * chosen while we do not listen, so bind it by number afterwards.
 */
static int find_free(uint16_t *ret)
{
	struct net_endpoint at = { .address = loopback[0] };
	struct sockaddr_storage own;
	socklen_t len = net_endpoint_write(&at, &own);
	autoclose int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&own, len) < 0)
		return -errno;
	len = sizeof own;
	if (getsockname(fd, (struct sockaddr *)&own, &len) < 0)
		return -errno;
	*ret = net_endpoint_read((struct sockaddr *)&own, len, &at) < 0 ?
		       0 :
		       at.port;
	return 0;
}

/* A host may have no IPv6. */
static bool is_absent(int r)
{
	return r == -EADDRNOTAVAIL || r == -EAFNOSUPPORT;
}

/* Take the same port for both families. */
static int take_both(struct net_port *port, uint16_t number)
{
	int r = take(&loopback[0], number, &port->fds[0]);

	if (r < 0)
		return r;
	r = take(&loopback[1], number, &port->fds[1]);
	if (r < 0 && !is_absent(r)) {
		closep(&port->fds[0]);
		return r;
	}
	port->host_port = number;
	return 0;
}

static int fail_to_take(const struct net_port *port, int r)
{
	if (r == -EACCES)
		return fail(0,
			    "network.bind: publish port %u: ports below 1024 "
			    "require a privilege on the host: use a higher "
			    "port, network.port_remap = true, or "
			    "network.publish = false",
			    port->port);
	if (r == -EADDRINUSE)
		return fail(0,
			    "network.bind: publish port %u: it is in use on "
			    "the host's loopback: use another port, "
			    "network.port_remap = true, or network.publish = "
			    "false",
			    port->port);
	return fail(-r, "network.bind: publish port %u", port->port);
}

static int take_port(struct net_port *port, bool remap)
{
	int r = take_both(port, port->port);

	if (!remap || (r != -EADDRINUSE && r != -EACCES))
		return r < 0 ? fail_to_take(port, r) : 0;
	/* Somebody else may be faster. */
	for (unsigned int i = 0; i < TRIES && r < 0; i++) {
		uint16_t number = 0;

		r = find_free(&number);
		if (r == 0)
			r = take_both(port, number);
	}
	return r < 0 ? fail(-r, "network.port_remap: find a port for %u",
			    port->port) :
		       0;
}

/* ---- the policy ---- */

static int read_ranges(struct arena *arena, const struct strings *list,
		       struct net_ports **ret, size_t *ret_n)
{
	struct net_ports *ranges = arena_array(arena, list->n, sizeof *ranges);

	if (list->n && !ranges)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		int r = 0;

		ranges[i] = (struct net_ports){ 0, UINT16_MAX };
		if (!streq(list->items[i], "*"))
			r = net_ports_parse(list->items[i], 0, &ranges[i]);
		if (r < 0)
			return r;
	}
	*ret = ranges;
	*ret_n = list->n;
	return 0;
}

static bool has(const struct net_ports *ranges, size_t n, uint16_t port)
{
	for (size_t i = 0; i < n; i++)
		if (port >= ranges[i].first && port <= ranges[i].last)
			return true;
	return false;
}

static bool is_taken(const struct net_published *published, uint16_t port)
{
	for (size_t i = 0; i < published->n; i++)
		if (published->items[i].port == port)
			return true;
	return false;
}

/* A range, or any port, says nothing about which one will be used. */
static int take_all(struct arena *arena, const struct policy *policy,
		    struct net_published *all)
{
	struct net_ports *denied;
	size_t n_denied;
	int r = read_ranges(arena, &policy->deny_bind, &denied, &n_denied);

	for (size_t i = 0; r == 0 && i < policy->bind.n; i++) {
		uint16_t port = all->bindable[i].first;
		struct net_port *item = &all->items[all->n];

		if (strpbrk(policy->bind.items[i], "-*") || port == 0 ||
		    has(denied, n_denied, port) || is_taken(all, port))
			continue;
		if (all->n == MOST_PORTS)
			return fail(0,
				    "network.bind: more than %d ports to "
				    "publish: use a range, or network.publish "
				    "= false",
				    MOST_PORTS);
		*item = (struct net_port){ .port = port, .fds = { -1, -1 } };
		all->n++;
		r = take_port(item, policy->port_remap);
	}
	return r;
}

int net_published_open(struct arena *arena, const struct policy *policy,
		       struct net_published *ret)
{
	struct net_published all = { 0 };
	int r;

	*ret = all;
	if (!policy_publishes(policy))
		return 0;
	r = read_ranges(arena, &policy->bind, &all.bindable, &all.n_bindable);
	if (r < 0)
		return r;
	all.items = arena_array(arena, MOST_PORTS, sizeof *all.items);
	if (!all.items)
		return -ENOMEM;
	r = take_all(arena, policy, &all);
	if (r < 0) {
		net_published_close(&all);
		return r;
	}
	*ret = all;
	return 0;
}

void net_published_close(struct net_published *published)
{
	for (size_t i = 0; i < published->n; i++)
		for (size_t k = 0; k < 2; k++)
			closep(&published->items[i].fds[k]);
	published->n = 0;
}
