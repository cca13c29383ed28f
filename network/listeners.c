/* SPDX-License-Identifier: Apache-2.0 */
/* network/listeners.c - read the tables of sockets in /proc/net. */
#include "network/listeners.h"

#include <stdio.h>
#include <string.h>

#define LISTENS 0x0a /* the state in the table */
#define WORD_DIGITS 8

/* One line: "   0: 0100007F:1F90 00000000:0000 0A …". */
struct line {
	struct net_address address;
	unsigned int port, state;
};

/* The kernel prints each 32 bits of an address as a number of the machine. */
static bool read_address(const char *text, size_t digits,
			 struct net_address *ret)
{
	for (size_t i = 0; i * WORD_DIGITS < digits; i++) {
		unsigned int word;

		if (sscanf(text + i * WORD_DIGITS, "%8x", &word) != 1)
			return false;
		memcpy(ret->bytes + i * sizeof word, &word, sizeof word);
	}
	return true;
}

static bool read_line(const char *text, sa_family_t family, struct line *ret)
{
	size_t digits = family == AF_INET ? WORD_DIGITS : 4 * WORD_DIGITS;
	char address[4 * WORD_DIGITS + 1];

	*ret = (struct line){ .address.family = family };
	if (sscanf(text, " %*u: %32[0-9A-F]:%4x %*[0-9A-F]:%*4x %2x", address,
		   &ret->port, &ret->state) != 3)
		return false;
	return strlen(address) == digits &&
	       read_address(address, digits, &ret->address);
}

static bool is_zero(const struct net_address *address)
{
	static const uint8_t zero[sizeof address->bytes];

	return memcmp(address->bytes, zero, sizeof zero) == 0;
}

/* A server for IPv4 on a socket for IPv6, as Java has them. */
static bool is_mapped(const struct net_address *address)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return address->family == AF_INET6 &&
	       memcmp(address->bytes, prefix, sizeof prefix) == 0;
}

/* Where to connect to a server with this address. */
static bool find_way(const struct net_address *address, struct net_address *ret)
{
	*ret = *address;
	if (is_mapped(address)) {
		*ret = (struct net_address){ .family = AF_INET };
		memcpy(ret->bytes, address->bytes + 12, 4);
	}
	if (!is_zero(ret))
		return net_address_class(ret) == NET_LOOPBACK;
	if (ret->family == AF_INET) {
		ret->bytes[0] = 127;
		ret->bytes[3] = 1;
	} else {
		ret->bytes[15] = 1;
	}
	return true;
}

bool net_listeners_find(const char *lines, size_t len, sa_family_t family,
			uint16_t port, struct net_endpoint *ret, bool *ret_more)
{
	const char *end = lines + len;

	*ret_more = true;
	for (const char *at = lines, *next; at < end; at = next) {
		struct line line;
		char text[256];
		size_t n;

		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		n = (size_t)(next - at);
		if (n >= sizeof text)
			n = sizeof text - 1;
		memcpy(text, at, n);
		text[n] = '\0';
		if (!read_line(text, family, &line))
			continue; /* the title */
		if (line.state != LISTENS) {
			*ret_more = false;
			return false;
		}
		if (line.port == port &&
		    find_way(&line.address, &ret->address)) {
			ret->port = port;
			return true;
		}
	}
	return false;
}
