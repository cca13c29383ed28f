/* SPDX-License-Identifier: Apache-2.0 */
/* network/address.h - IPv4 and IPv6 addresses and prefixes as values. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define NET_ADDRESS_TEXT 48

struct net_address {
	sa_family_t family; /* AF_INET or AF_INET6 */
	uint8_t bytes[16];  /* in network order; IPv4 uses the first four */
};

struct net_prefix {
	struct net_address address;
	uint8_t bits; /* that must agree */
};

/* An address and a port, as a socket has them. */
struct net_endpoint {
	struct net_address address;
	uint16_t port;
};

/* What may be reached under an address. */
enum net_class {
	NET_PUBLIC,
	NET_PRIVATE,
	NET_LOOPBACK,	/* and 0.0.0.0 and ::, which lead there */
	NET_LINK_LOCAL, /* the addresses of metadata services included */
	NET_MULTICAST,	/* and broadcast */
};

/* Bits of a whole address of this family. */
static inline uint8_t net_address_bits(sa_family_t family)
{
	return family == AF_INET ? 32 : 128;
}

bool net_address_equal(const struct net_address *a,
		       const struct net_address *b);
/* True if the prefix contains the address. */
bool net_prefix_has(const struct net_prefix *prefix,
		    const struct net_address *address);
/* True if the first prefix contains the second, or is equal to it. */
bool net_prefix_contains(const struct net_prefix *outer,
			 const struct net_prefix *inner);
enum net_class net_address_class(const struct net_address *address);
/*
 * Return the smallest range of a class above that the prefix lies in; NULL if
 * it is public or larger than such a range.
 */
const struct net_prefix *net_prefix_range(const struct net_prefix *prefix);
/*
 * Return the i-th range that only a rule of its own can allow (link-local,
 * metadata, multicast); NULL after the last.
 */
const struct net_prefix *net_guarded_range(sa_family_t family, unsigned int i);

/* Convert a socket's address; an IPv4-mapped one becomes IPv4. */
int net_endpoint_read(const struct sockaddr *from, socklen_t len,
		      struct net_endpoint *ret);
/* Convert to a socket's address; returns its length. */
socklen_t net_endpoint_write(const struct net_endpoint *endpoint,
			     struct sockaddr_storage *ret);
/* Write an address as text, without brackets. */
void net_address_text(const struct net_address *address,
		      char ret[NET_ADDRESS_TEXT]);
