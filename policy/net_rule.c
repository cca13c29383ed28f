/* SPDX-License-Identifier: Apache-2.0 */
/* policy/net_rule.c - parse rules of network.allow and network.deny. */
#include "policy/net_rule.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"

#define MAX_PORT_TEXT 16 /* "65535-65535" and a reserve */

static const struct {
	const char *prefix;
	enum net_protocol protocol;
} schemes[] = {
	{ "tcp://", NET_TCP },
	{ "udp://", NET_UDP },
	{ "icmp://", NET_ICMP },
};

/* Without a scheme the protocol is TCP. *rest is the text after it. */
static int read_scheme(const char *text, enum net_protocol *ret,
		       const char **rest)
{
	const char *end = strstr(text, "://");

	*ret = NET_TCP;
	*rest = text;
	if (!end)
		return 0;
	for (size_t i = 0; i < COUNT(schemes); i++)
		if (starts_with(text, schemes[i].prefix)) {
			*ret = schemes[i].protocol;
			*rest = text + strlen(schemes[i].prefix);
			return 0;
		}
	return fail(0, "unknown scheme '%.*s' (tcp, udp, icmp)",
		    (int)(end - text), text);
}

/* Return the colon before the ports; NULL if there is none. */
static const char *find_ports(const char *target)
{
	const char *colon;

	if (target[0] == '[') {
		colon = strchr(target, ']');
		return colon ? strchr(colon, ':') : NULL;
	}
	colon = strchr(target, ':');
	/* More than one colon: an IPv6 address without a port. */
	return colon && strchr(colon + 1, ':') ? NULL : colon;
}

static int read_port(const char *text, uint32_t min, uint16_t *ret)
{
	uint32_t port = 0;

	if (num_u32(text, &port) < 0 || port < min || port > UINT16_MAX)
		return fail(0, "'%s' is not a port (%u to %u)", text, min,
			    (unsigned int)UINT16_MAX);
	*ret = (uint16_t)port;
	return 0;
}

int net_ports_parse(const char *text, uint16_t min, struct net_ports *ret)
{
	char first[MAX_PORT_TEXT];
	const char *dash = strchr(text, '-');
	size_t len = dash ? (size_t)(dash - text) : strlen(text);
	struct net_ports ports;
	int r;

	if (len >= sizeof first)
		return fail(0, "'%s' is not a port (%u to %u)", text,
			    (unsigned int)min, (unsigned int)UINT16_MAX);
	memcpy(first, text, len);
	first[len] = '\0';
	r = read_port(first, dash ? 1 : min, &ports.first);
	if (r < 0)
		return r;
	ports.last = ports.first;
	r = dash ? read_port(dash + 1, 1, &ports.last) : 0;
	if (r < 0)
		return r;
	if (ports.last < ports.first)
		return fail(0,
			    "'%s': the range ends before it begins: write the "
			    "lower port first",
			    text);
	*ret = ports;
	return 0;
}

/* "80,443,8000-8080", or "*" alone. */
static int read_ports(struct arena *arena, const char *text,
		      struct net_rule *ret)
{
	char *list = arena_strdup(arena, text);
	struct net_ports *ports;
	size_t n = 1;

	if (!list)
		return -ENOMEM;
	if (streq(text, "*"))
		return 0;
	if (strchr(text, '*'))
		return fail(0,
			    "'*' must stand alone for all ports, not within "
			    "'%s'",
			    text);
	for (const char *p = text; *p; p++)
		n += *p == ',';
	ports = arena_array(arena, n, sizeof *ports);
	if (!ports)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int r = net_ports_parse(strsep(&list, ","), 1, &ports[i]);

		if (r < 0)
			return r;
	}
	ret->ports = ports;
	ret->n_ports = n;
	return 0;
}

static int read_target(struct arena *arena, const char *target,
		       struct net_rule *ret)
{
	const char *colon = find_ports(target);
	const char *host = target;
	int r;

	if (*target == '\0')
		return fail(0, "the host is missing: write HOST or HOST:PORT");
	if (colon && ret->protocol == NET_ICMP)
		return fail(0, "icmp does not take a port: remove it");
	if (colon) {
		r = read_ports(arena, colon + 1, ret);
		if (r < 0)
			return r;
		host = arena_strndup(arena, target, (size_t)(colon - target));
		if (!host)
			return -ENOMEM;
	}
	return net_host_parse(arena, colon == target ? "*" : host, &ret->host);
}

int net_rule_parse(struct arena *arena, const char *text, struct net_rule *ret)
{
	struct net_rule rule = { 0 };
	const char *target;
	int r = read_scheme(text, &rule.protocol, &target);

	if (r == 0)
		r = read_target(arena, target, &rule);
	if (r < 0)
		return fail_in(r, "'%s'", text);
	*ret = rule;
	return 0;
}
