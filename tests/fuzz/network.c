/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/network.c - any rule of [network], and of [http] after an 'h':
 * written in one way only it must mean the same.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "policy/http_rule.h"
#include "tests/fuzz/fuzz.h"

static bool is_http;
static struct net_rule net;
static struct http_rule http;

static int parse(struct arena *arena, const char *text, size_t len)
{
	const char *rule;

	if (len == 0)
		return fail(0, "too short");
	is_http = text[0] == 'h';
	rule = fuzz_text(arena, text + 1, len - 1);
	if (!rule)
		return -ENOMEM;
	return is_http ? http_rule_parse(arena, rule, &http) :
			 net_rule_parse(arena, rule, &net);
}

static const char *write_host(struct arena *arena, const struct net_host *host)
{
	char address[INET6_ADDRSTRLEN];
	int family = host->kind == NET_HOST_IPV4 ? AF_INET : AF_INET6;

	switch (host->kind) {
	case NET_HOST_ANY:
		return "*";
	case NET_HOST_NAME:
		return host->name;
	case NET_HOST_BELOW:
		return arena_printf(arena, "*.%s", host->name);
	case NET_HOST_IPV4:
	case NET_HOST_IPV6:
		break;
	}
	demand(inet_ntop(family, host->address, address, sizeof address));
	/* A path would begin with the slash of a prefix. */
	if (is_http)
		return arena_printf(arena, family == AF_INET ? "%s" : "[%s]",
				    address);
	return arena_printf(arena, family == AF_INET ? "%s/%u" : "[%s]/%u",
			    address, host->prefix);
}

static void demand_host(const struct net_host *host)
{
	struct in_addr address;
	unsigned int bits = host->kind == NET_HOST_IPV4 ? 32 : 128;

	if (host->kind == NET_HOST_NAME || host->kind == NET_HOST_BELOW) {
		/* No resolver takes it for an address that no rule names. */
		demand(!inet_aton(host->name, &address));
		demand(*host->name && strlen(host->name) <= 253);
		for (const char *p = host->name; *p; p++)
			demand(*p > ' ' && *p < 0x7f && *p != '*' &&
			       *p != '/' && *p != ':' &&
			       !(*p >= 'A' && *p <= 'Z'));
	}
	if (host->kind != NET_HOST_IPV4 && host->kind != NET_HOST_IPV6)
		return;
	demand(host->prefix <= bits);
	for (unsigned int i = host->prefix; i < 128; i++)
		demand(!(host->address[i / 8] & (0x80 >> i % 8)));
}

static void demand_same_host(const struct net_host *a, const struct net_host *b)
{
	demand(a->kind == b->kind && a->prefix == b->prefix);
	demand(memcmp(a->address, b->address, sizeof a->address) == 0);
	demand(fuzz_same_text(a->name, b->name));
}

static void check_net(struct arena *arena)
{
	static const char *const schemes[] = { "tcp", "udp", "icmp" };
	const char *text = arena_printf(arena, "%s://%s", schemes[net.protocol],
					write_host(arena, &net.host));
	struct net_rule again;

	for (size_t i = 0; i < net.n_ports; i++) {
		demand(net.ports[i].first >= 1 &&
		       net.ports[i].first <= net.ports[i].last);
		text = arena_printf(arena, "%s%c%u-%u", text, i ? ',' : ':',
				    net.ports[i].first, net.ports[i].last);
	}
	demand_host(&net.host);
	demand(net_rule_parse(arena, text, &again) == 0);
	demand(again.protocol == net.protocol && again.n_ports == net.n_ports);
	for (size_t i = 0; i < net.n_ports; i++)
		demand(again.ports[i].first == net.ports[i].first &&
		       again.ports[i].last == net.ports[i].last);
	demand_same_host(&net.host, &again.host);
}

static void check_http(struct arena *arena)
{
	const char *text =
		arena_printf(arena, "%s %s%s", http.method ? http.method : "*",
			     write_host(arena, &http.host), http.path);
	struct http_rule again;

	demand(http.path[0] == '/');
	demand_host(&http.host);
	demand(http_rule_parse(arena, text, &again) == 0);
	demand(fuzz_same_text(http.method, again.method));
	demand(streq(http.path, again.path));
	demand_same_host(&http.host, &again.host);
}

static void accepted(struct arena *arena)
{
	if (is_http)
		check_http(arena);
	else
		check_net(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
