/* SPDX-License-Identifier: Apache-2.0 */
/* network/unreachable.c - write ICMP messages. */
#include "network/unreachable.h"

#include <arpa/inet.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

#include "network/address.h"

#define TTL 64

struct v4_message {
	struct iphdr outer;
	struct icmphdr icmp;
	struct iphdr inner;
	struct udphdr udp;
};

struct v6_message {
	struct ip6_hdr outer;
	struct icmp6_hdr icmp;
	struct ip6_hdr inner;
	struct udphdr udp;
};

/* Add the 16-bit words of some bytes. */
static uint32_t add_words(uint32_t sum, const void *data, size_t n)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	return sum;
}

static uint16_t finish(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static struct udphdr udp_header(const struct net_endpoint *from,
				const struct net_endpoint *to)
{
	return (struct udphdr){
		.source = htons(from->port),
		.dest = htons(to->port),
		.len = htons(sizeof(struct udphdr)),
	};
}

static void send_v4(int raw, const struct net_endpoint *sender,
		    const struct net_endpoint *destination)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct v4_message m = {
		.outer = { .version = 4,
			   .ihl = 5,
			   .tot_len = htons(sizeof m),
			   .ttl = TTL,
			   .protocol = IPPROTO_ICMP },
		.icmp = { .type = ICMP_DEST_UNREACH,
			  .code = ICMP_PORT_UNREACH },
		.inner = { .version = 4,
			   .ihl = 5,
			   .tot_len = htons(sizeof m.inner + sizeof m.udp),
			   .ttl = TTL,
			   .protocol = IPPROTO_UDP },
		.udp = udp_header(sender, destination),
	};

	memcpy(&m.outer.saddr, destination->address.bytes, 4);
	memcpy(&m.outer.daddr, sender->address.bytes, 4);
	memcpy(&m.inner.saddr, sender->address.bytes, 4);
	memcpy(&m.inner.daddr, destination->address.bytes, 4);
	m.inner.check = finish(add_words(0, &m.inner, sizeof m.inner));
	m.icmp.checksum =
		finish(add_words(0, &m.icmp, sizeof m - sizeof m.outer));
	memcpy(&to.sin_addr, sender->address.bytes, 4);
	(void)sendto(raw, &m, sizeof m, MSG_DONTWAIT, (struct sockaddr *)&to,
		     sizeof to);
}

static void send_v6(int raw, const struct net_endpoint *sender,
		    const struct net_endpoint *destination)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6 };
	const uint16_t len = sizeof(struct v6_message) - sizeof(struct ip6_hdr);
	struct v6_message m = {
		.outer = { .ip6_plen = htons(len),
			   .ip6_nxt = IPPROTO_ICMPV6,
			   .ip6_hlim = TTL },
		.icmp = { .icmp6_type = ICMP6_DST_UNREACH,
			  .icmp6_code = ICMP6_DST_UNREACH_NOPORT },
		.inner = { .ip6_plen = htons(sizeof m.udp),
			   .ip6_nxt = IPPROTO_UDP,
			   .ip6_hlim = TTL },
		.udp = udp_header(sender, destination),
	};
	uint32_t sum;

	/* Members of one union with the length: not in the initializer. */
	m.outer.ip6_vfc = m.inner.ip6_vfc = 6 << 4;
	memcpy(&m.outer.ip6_src, destination->address.bytes, 16);
	memcpy(&m.outer.ip6_dst, sender->address.bytes, 16);
	memcpy(&m.inner.ip6_src, sender->address.bytes, 16);
	memcpy(&m.inner.ip6_dst, destination->address.bytes, 16);
	/* The checksum covers both addresses, the length and the protocol. */
	sum = add_words(len + IPPROTO_ICMPV6, &m.outer.ip6_src, 32);
	m.icmp.icmp6_cksum = finish(add_words(sum, &m.icmp, len));
	memcpy(&to.sin6_addr, sender->address.bytes, 16);
	(void)sendto(raw, &m, sizeof m, MSG_DONTWAIT, (struct sockaddr *)&to,
		     sizeof to);
}

void net_unreachable_send(int raw, const struct net_endpoint *sender,
			  const struct net_endpoint *destination)
{
	if (sender->address.family == AF_INET)
		send_v4(raw, sender, destination);
	else
		send_v6(raw, sender, destination);
}
