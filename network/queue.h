/* SPDX-License-Identifier: Apache-2.0 */
/* network/queue.h - packets that the kernel holds until we give a verdict. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "network/address.h"
#include "network/filter.h"

#define NET_ECHO_SIZE 128 /* of an echo request, the rest is cut off */

struct net_packet {
	uint32_t id;
	uint8_t family;	  /* AF_INET, AF_INET6 */
	uint8_t protocol; /* IPPROTO_TCP, _ICMP, _ICMPV6; 0: something else */
	struct net_endpoint from, to; /* ports of TCP */
	uint8_t echo[NET_ECHO_SIZE];  /* the ICMP message */
	size_t echo_len;
};

/* Open the queue NET_QUEUE in the namespace of the caller. */
int net_queue_open(void);
/*
 * Read packets that have arrived and pass them to take(); returns when there
 * are no more.
 */
void net_queue_read(int queue,
		    void (*take)(void *ctx, const struct net_packet *packet),
		    void *ctx);
/* Let the packet go on with a mark (enum net_mark, or 0). */
void net_queue_accept(int queue, const struct net_packet *packet,
		      uint32_t mark);
void net_queue_drop(int queue, const struct net_packet *packet);
/* Read the headers of a packet. */
int net_packet_read(const uint8_t *bytes, size_t n, struct net_packet *ret);
