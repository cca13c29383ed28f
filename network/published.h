/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/published.h - ports of a sandbox on the host's loopback. They are
 * taken before anything starts; a connection is refused until something inside
 * listens.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/net_rule.h"

struct arena;
struct policy;

struct net_port {
	uint16_t port;	    /* inside */
	uint16_t host_port; /* on the host's loopback */
	int fds[2];	    /* bound there: IPv4, IPv6; -1: none */
	bool listens;
};

struct net_published {
	struct net_port *items;
	size_t n;
	/* What the sandbox may bind: the relay uses other ports itself. */
	struct net_ports *bindable;
	size_t n_bindable;
};

/*
 * Take the single ports of network.bind on the host's loopback; with
 * network.port_remap another one if the port is not free. None if the sandbox
 * shares the host's network or network.publish is false.
 */
int net_published_open(struct arena *arena, const struct policy *policy,
		       struct net_published *ret);
void net_published_close(struct net_published *published);
/* Let clients connect; -errno. */
int net_port_listen(struct net_port *port);
/* Refuse them; the port stays taken. */
void net_port_stop(struct net_port *port);
