/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/net_rule.h - one rule of network.allow and network.deny, and the
 * hosts that it shares with the rules of [http].
 *
 *	host:port[,port…], tcp://host:port	TCP
 *	udp://host:port				UDP
 *	icmp://host				ping
 *
 * A host is a name, "*.example.com", an address, a CIDR or "*"; ":port" is any
 * host; no port, or "*", is all of them; a port may be "lo-hi"; IPv6 stands in
 * brackets when a port follows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum net_host_kind {
	NET_HOST_ANY,
	NET_HOST_NAME,	/* example.com */
	NET_HOST_BELOW, /* *.example.com: names below it, not itself */
	NET_HOST_IPV4,
	NET_HOST_IPV6,
};

struct net_host {
	enum net_host_kind kind;
	const char *name;    /* lower case, without "*." and final dot */
	uint8_t address[16]; /* in network order, zero beyond the prefix */
	uint8_t prefix;	     /* bits that must agree */
};

struct net_ports {
	uint16_t first;
	uint16_t last;
};

enum net_protocol { NET_TCP, NET_UDP, NET_ICMP };

struct net_rule {
	enum net_protocol protocol;
	struct net_host host;
	const struct net_ports *ports; /* none: all */
	size_t n_ports;
};

/* Parse a rule; errors quote it and give the reason. */
int net_rule_parse(struct arena *arena, const char *text, struct net_rule *ret);
/* Parse a host alone; an IPv6 address may be in brackets. */
int net_host_parse(struct arena *arena, const char *text, struct net_host *ret);
/* Parse "80" or "8000-8080"; the lowest port is min. */
int net_ports_parse(const char *text, uint16_t min, struct net_ports *ret);
