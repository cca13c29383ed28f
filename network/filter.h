/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/filter.h - nf_tables rules that hold new connections until the
 * supervisor has connected to their destination, and bring them to its
 * listeners.
 *
 *	out (local out)		SYN or echo request that leaves → queue
 *	reject (after it)	marks of the verdict → RST or ICMP
 *	in (prerouting)		mark NET_MARK_RELAY, and UDP → listener
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct netlink_batch;

#define NET_QUEUE 7
/* No routing rule leads to these, so they take no port from anybody. */
#define NET_LISTEN_V4 "192.0.0.8"
#define NET_LISTEN_V6 "100::8"
#define NET_LISTEN_PORT 9999

/* Marks that a verdict gives a packet. */
enum net_mark {
	NET_MARK_REFUSED = 1,
	NET_MARK_HOST_UNREACHABLE,
	NET_MARK_NET_UNREACHABLE,
	NET_MARK_PROHIBITED,
	NET_MARK_RELAY = 9,
};

struct net_filter {
	const uint16_t *loopback; /* ports of the host's loopback, by rules */
	size_t n_loopback;
	bool has_v6;
	bool answers_dns;
	bool by_xtables; /* queue with the xtables target, not nf_tables' own */
};

/* Append one transaction. */
void net_filter_put(struct netlink_batch *batch,
		    const struct net_filter *filter);
