/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/inside.h - set up a namespace for an engine outside of it: routes,
 * filter, and sockets, which keep the namespace that they were made in.
 *
 * A process inside does it, and stays to make more sockets.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "network/routes.h"

enum net_socket {
	NET_SOCKET_QUEUE,
	NET_SOCKET_ROUTES,
	NET_SOCKET_TCP_V4, /* listeners */
	NET_SOCKET_UDP_V4,
	NET_SOCKET_RAW_V4, /* to send ICMP */
	NET_SOCKET_TCP_V6,
	NET_SOCKET_UDP_V6,
	NET_SOCKET_RAW_V6,
	NET_SOCKET_DNS_TCP, /* at NET_DNS_V4; -1: unless we answer DNS */
	NET_SOCKET_DNS_UDP,
	NET_TABLE_TCP_V4, /* /proc/net/tcp and tcp6 inside */
	NET_TABLE_TCP_V6,
	NET_SOCKETS
};

#define NET_POOL 16

struct net_inside {
	pid_t pid; /* the process inside, a child of ours */
	int pidfd;
	int link;		  /* to it */
	int sockets[NET_SOCKETS]; /* -1: none */
	struct net_pool {
		int fds[NET_POOL];
		size_t n;
	} datagrams[2], streams[2]; /* IPv4, IPv6 */
};

_Static_assert(NET_SOCKETS == 12, "NET_INSIDE_NONE has one for each");
#define NET_INSIDE_NONE                               \
	{                                             \
		.pidfd = -1, .link = -1, .sockets = { \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1,                           \
			-1                            \
		}                                     \
	}

struct net_inside_want {
	int userns; /* to enter first; -1: none */
	int netns;
	const struct net_routing *routing; /* NULL: without rules */
	const uint16_t *loopback;	   /* ports of the host's loopback */
	size_t n_loopback;
	bool publishes; /* open the tables of sockets */
};

/* Start the process inside and take its sockets. */
int net_inside_open(struct arena *arena, const struct net_inside_want *want,
		    struct net_inside *ret);
/* Take a datagram socket made inside; -errno if there is none. */
int net_inside_datagram(struct net_inside *inside, sa_family_t family);
/* The same for a stream socket, which is for connections that stay inside. */
int net_inside_stream(struct net_inside *inside, sa_family_t family);
void net_inside_close(struct net_inside *inside);
