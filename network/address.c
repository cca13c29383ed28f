/* SPDX-License-Identifier: Apache-2.0 */
/* network/address.c - compare, classify and convert addresses. */
#include "network/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/util.h"

#define V4(a, b, c, d, bits_)                                              \
	{                                                                  \
		.address = { .family = AF_INET, .bytes = { a, b, c, d } }, \
		.bits = bits_                                              \
	}
#define V6(bits_, ...)                                                       \
	{                                                                    \
		.address = { .family = AF_INET6, .bytes = { __VA_ARGS__ } }, \
		.bits = bits_                                                \
	}

/* Ranges that are not public; a smaller one stands before a larger one. */
static const struct {
	enum net_class class;
	bool guarded; /* only a rule of its own allows it */
	struct net_prefix range;
} ranges[] = {
	/* Metadata services outside of the link-local range. */
	{ NET_LINK_LOCAL, true, V4(100, 100, 100, 200, 32) },
	{ NET_LINK_LOCAL, true, V4(192, 0, 0, 192, 32) },
	{ NET_LINK_LOCAL, true, V4(168, 63, 129, 16, 32) },
	{ NET_LINK_LOCAL, true,
	  V6(128, 0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54) },
	{ NET_LINK_LOCAL, true,
	  V6(128, 0xfd, 0x20, 0x00, 0xce, [14] = 0x02, [15] = 0x54) },

	{ NET_LOOPBACK, false, V4(127, 0, 0, 0, 8) },
	{ NET_LOOPBACK, false, V4(0, 0, 0, 0, 8) },
	{ NET_LOOPBACK, false, V6(128, [15] = 1) },
	{ NET_LOOPBACK, false, V6(128, 0) },
	{ NET_LINK_LOCAL, true, V4(169, 254, 0, 0, 16) },
	{ NET_LINK_LOCAL, true, V6(10, 0xfe, 0x80) },
	{ NET_MULTICAST, true, V4(224, 0, 0, 0, 4) },
	{ NET_MULTICAST, true, V4(255, 255, 255, 255, 32) },
	{ NET_MULTICAST, true, V6(8, 0xff) },
	{ NET_PRIVATE, false, V4(10, 0, 0, 0, 8) },
	{ NET_PRIVATE, false, V4(172, 16, 0, 0, 12) },
	{ NET_PRIVATE, false, V4(192, 168, 0, 0, 16) },
	{ NET_PRIVATE, false, V4(100, 64, 0, 0, 10) },
	{ NET_PRIVATE, false, V4(192, 0, 0, 0, 24) },
	{ NET_PRIVATE, false, V4(198, 18, 0, 0, 15) },
	{ NET_PRIVATE, false, V4(240, 0, 0, 0, 4) },
	{ NET_PRIVATE, false, V6(7, 0xfc) },
	{ NET_PRIVATE, false, V6(10, 0xfe, 0xc0) },
	/* Translations lead to IPv4 addresses that no rule would judge. */
	{ NET_PRIVATE, false, V6(96, 0x00, 0x64, 0xff, 0x9b) },
	{ NET_PRIVATE, false, V6(48, 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01) },
	{ NET_PRIVATE, false, V6(16, 0x20, 0x02) },
	{ NET_PRIVATE, false, V6(96, 0) },
};

bool net_address_equal(const struct net_address *a, const struct net_address *b)
{
	return a->family == b->family &&
	       memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool net_prefix_has(const struct net_prefix *prefix,
		    const struct net_address *address)
{
	size_t whole = prefix->bits / 8;
	unsigned int rest = prefix->bits % 8;
	const uint8_t *a = prefix->address.bytes, *b = address->bytes;

	if (prefix->address.family != address->family ||
	    memcmp(a, b, whole) != 0)
		return false;
	return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

bool net_prefix_contains(const struct net_prefix *outer,
			 const struct net_prefix *inner)
{
	return outer->bits <= inner->bits &&
	       net_prefix_has(outer, &inner->address);
}

enum net_class net_address_class(const struct net_address *address)
{
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (net_prefix_has(&ranges[i].range, address))
			return ranges[i].class;
	return NET_PUBLIC;
}

const struct net_prefix *net_prefix_range(const struct net_prefix *prefix)
{
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (net_prefix_contains(&ranges[i].range, prefix))
			return &ranges[i].range;
	return NULL;
}

const struct net_prefix *net_guarded_range(sa_family_t family, unsigned int i)
{
	for (size_t k = 0; k < COUNT(ranges); k++)
		if (ranges[k].guarded &&
		    ranges[k].range.address.family == family && i-- == 0)
			return &ranges[k].range;
	return NULL;
}

static void read_v6(const struct sockaddr_in6 *from, struct net_endpoint *ret)
{
	const uint8_t *bytes = from->sin6_addr.s6_addr;

	ret->port = ntohs(from->sin6_port);
	if (IN6_IS_ADDR_V4MAPPED(&from->sin6_addr)) {
		ret->address = (struct net_address){ .family = AF_INET };
		memcpy(ret->address.bytes, bytes + 12, 4);
		return;
	}
	ret->address = (struct net_address){ .family = AF_INET6 };
	memcpy(ret->address.bytes, bytes, 16);
}

int net_endpoint_read(const struct sockaddr *from, socklen_t len,
		      struct net_endpoint *ret)
{
	if (len >= sizeof(struct sockaddr_in) && from->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, from, sizeof in);
		ret->address = (struct net_address){ .family = AF_INET };
		memcpy(ret->address.bytes, &in.sin_addr, 4);
		ret->port = ntohs(in.sin_port);
		return 0;
	}
	if (len >= sizeof(struct sockaddr_in6) && from->sa_family == AF_INET6) {
		struct sockaddr_in6 in;

		memcpy(&in, from, sizeof in);
		read_v6(&in, ret);
		return 0;
	}
	return -EAFNOSUPPORT;
}

socklen_t net_endpoint_write(const struct net_endpoint *endpoint,
			     struct sockaddr_storage *ret)
{
	const struct net_address *a = &endpoint->address;

	*ret = (struct sockaddr_storage){ .ss_family = a->family };
	if (a->family == AF_INET) {
		struct sockaddr_in *in = (struct sockaddr_in *)ret;

		in->sin_port = htons(endpoint->port);
		memcpy(&in->sin_addr, a->bytes, 4);
		return sizeof *in;
	}

	struct sockaddr_in6 *in = (struct sockaddr_in6 *)ret;

	in->sin6_port = htons(endpoint->port);
	memcpy(&in->sin6_addr, a->bytes, 16);
	return sizeof *in;
}

void net_address_text(const struct net_address *address,
		      char ret[NET_ADDRESS_TEXT])
{
	if (!inet_ntop(address->family, address->bytes, ret, NET_ADDRESS_TEXT))
		memcpy(ret, "?", 2);
}
