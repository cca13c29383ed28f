/* SPDX-License-Identifier: Apache-2.0 */
/* policy/net_host.c - parse names, addresses and CIDRs of rules. */
#include "policy/net_rule.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"

#define MAX_NAME 253
#define MAX_LABEL 63

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

static void clear_beyond(uint8_t *address, size_t len, unsigned int prefix)
{
	for (size_t i = 0; i < len; i++) {
		unsigned int bits = prefix > 8 * i ? prefix - 8 * i : 0;

		if (bits < 8)
			address[i] &= (uint8_t)(0xff00 >> bits);
	}
}

static int read_prefix(const char *text, uint32_t max, uint32_t *ret)
{
	uint32_t prefix = 0;

	if (num_u32(text, &prefix) < 0 || prefix > max || strlen(text) > 3)
		return fail(0, "'/%s' is not a prefix length (0 to %u)", text,
			    max);
	*ret = prefix;
	return 0;
}

/* An IPv4-mapped IPv6 address is the same host: convert it to IPv4. */
static void undress(struct net_host *host)
{
	if (host->prefix < 96 || memcmp(host->address, mapped, 12) != 0)
		return;
	host->kind = NET_HOST_IPV4;
	host->prefix -= 96;
	memmove(host->address, host->address + 12, 4);
	memset(host->address + 4, 0, 12);
}

/*
 * Return 1 if the text is an address, 0 if not. prefix is NULL without a "/".
 */
static int read_address(const char *text, const char *prefix,
			struct net_host *ret)
{
	struct net_host host = { .kind = NET_HOST_IPV4 };
	uint32_t bits = 32;
	int r;

	if (inet_pton(AF_INET, text, host.address) != 1) {
		host.kind = NET_HOST_IPV6;
		bits = 128;
		if (inet_pton(AF_INET6, text, host.address) != 1)
			return 0;
	}
	if (prefix) {
		r = read_prefix(prefix, bits, &bits);
		if (r < 0)
			return r;
	}
	host.prefix = (uint8_t)bits;
	clear_beyond(host.address, host.kind == NET_HOST_IPV4 ? 4 : 16, bits);
	if (host.kind == NET_HOST_IPV6)
		undress(&host);
	*ret = host;
	return 1;
}

static bool is_label(const char *label, size_t len)
{
	if (len == 0 || len > MAX_LABEL || label[0] == '-' ||
	    label[len - 1] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isascii(label[i]) || (!isalnum((unsigned char)label[i]) &&
					   label[i] != '-' && label[i] != '_'))
			return false;
	return true;
}

/* Resolvers accept "1.2.3" and "0x7f000001" as addresses. */
static bool is_number(const char *label)
{
	if (label[0] == '0' && (label[1] == 'x' || label[1] == 'X'))
		return label[2 + strspn(label + 2, "0123456789abcdefABCDEF")] ==
		       '\0';
	return label[strspn(label, "0123456789")] == '\0';
}

static int read_name(struct arena *arena, const char *text,
		     struct net_host *ret)
{
	bool below = starts_with(text, "*.");
	char *name = arena_strdup(arena, text + (below ? 2 : 0));
	char *label = name;
	size_t len;

	if (!name)
		return -ENOMEM;
	len = strlen(name);
	if (len > 1 && name[len - 1] == '.')
		name[--len] = '\0';
	for (;; label += strcspn(label, ".") + 1) {
		if (len > MAX_NAME || !is_label(label, strcspn(label, ".")))
			return fail(0,
				    "'%s' is not a host name or address (such "
				    "as *.example.com or 10.0.0.0/8)",
				    text);
		if (!strchr(label, '.'))
			break;
	}
	if (is_number(label))
		return fail(0,
			    "'%s' is not an address (such as 10.0.0.0/8 or "
			    "[2001:db8::1])",
			    text);
	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	*ret = (struct net_host){
		.kind = below ? NET_HOST_BELOW : NET_HOST_NAME,
		.name = name,
	};
	return 0;
}

/* Remove the brackets of "[::1]/64" and "[::1/64]"; NULL if out of memory. */
static char *without_brackets(struct arena *arena, const char *text)
{
	const char *end = strchr(text, ']');

	if (text[0] != '[' || !end || (end[1] && end[1] != '/'))
		return arena_strdup(arena, text);
	return arena_printf(arena, "%.*s%s", (int)(end - text - 1), text + 1,
			    end + 1);
}

int net_host_parse(struct arena *arena, const char *text, struct net_host *ret)
{
	char *address, *slash;
	int r;

	if (streq(text, "*")) {
		*ret = (struct net_host){ .kind = NET_HOST_ANY };
		return 0;
	}
	address = without_brackets(arena, text);
	if (!address)
		return -ENOMEM;
	slash = strchr(address, '/');
	if (slash)
		*slash = '\0';
	if (text[0] != '[' || strchr(address, ':')) {
		r = read_address(address, slash ? slash + 1 : NULL, ret);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	if (slash || text[0] == '[' || strchr(text, ':'))
		return fail(0,
			    "'%s' is not an address (such as 10.0.0.0/8 or "
			    "[2001:db8::1])",
			    text);
	return read_name(arena, text, ret);
}
