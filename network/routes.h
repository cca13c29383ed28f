/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/routes.h - routing that admits only what the rules allow: any other
 * connect() or sendto() fails with EACCES at once.
 *
 * Every address is local to the namespace, and a routing rule for each segment
 * of ports leads to a table with its prefixes. The last rule prohibits.
 */
#pragma once

#include "network/segments.h"

struct netlink_batch;

/* Addresses of the namespace itself, and of what answers DNS in it. */
#define NET_OWN_V4 "100.64.0.1"
#define NET_OWN_V6 "2001:db8:5a4d::1" /* not a ULA: those sort after IPv4 */
#define NET_DNS_V4 "100.64.0.53"

struct net_routing {
	struct net_segments v4, v6;
	bool host_v4, host_v6; /* the host has a route for the family */
	bool has_v6;	       /* the kernel knows IPv6 */
	bool pings;	       /* some rule allows ICMP */
	bool answers_dns;      /* at NET_DNS_V4 */
};

/* Append the messages that set lo, addresses, routes and rules. */
void net_routes_put(struct netlink_batch *batch,
		    const struct net_routing *routing);
/*
 * Append messages that add an address to segments[i] of its family while the
 * sandbox runs, or take it away.
 */
void net_routes_admit(struct netlink_batch *batch,
		      const struct net_routing *routing, size_t i,
		      const struct net_address *address);
void net_routes_withdraw(struct netlink_batch *batch,
			 const struct net_routing *routing, size_t i,
			 const struct net_address *address);
