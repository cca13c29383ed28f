/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/seatbelt_net.c - the rules of [network] for Seatbelt, which knows the
 * hosts "*" and "localhost", and single ports.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/seatbelt_parts.h"
#include "policy/net_rule.h"

#define MOST_PORTS 1000
#define LAST_PORT 65535
#define LOOPBACK 127
#define LOOPBACK_BITS 8

static bool has_proxy(const struct policy *policy)
{
	return policy->set[KEY_HTTP_PROXY_PORT] ||
	       policy->set[KEY_SOCKS_PROXY_PORT];
}

static bool is_open(const struct policy *policy)
{
	return policy->mode == POLICY_MODE_OPEN || policy_denies_alone(policy);
}

static bool is_loopback(const struct net_host *host)
{
	static const uint8_t one[16] = { [15] = 1 };

	switch (host->kind) {
	case NET_HOST_NAME:
		return streq(host->name, "localhost");
	case NET_HOST_IPV4:
		return host->address[0] == LOOPBACK &&
		       host->prefix >= LOOPBACK_BITS;
	case NET_HOST_IPV6:
		return memcmp(host->address, one, sizeof one) == 0;
	default:
		return false;
	}
}

static int add(struct seatbelt *s, struct strings *list, const char *text)
{
	if (!text)
		return -ENOMEM;
	return strings_has(list, text) ? 0 : strings_add(s->arena, list, text);
}

/* Add (remote tcp "host:port") for each port of a range. */
static int add_ports(struct seatbelt *s, const char *what, const char *host,
		     const struct net_ports *ports, struct strings *ret)
{
	int r = 0;

	if (ports->first <= 1 && ports->last == LAST_PORT)
		return add(s, ret,
			   arena_printf(s->arena, "(%s \"%s:*\")", what, host));
	if (ports->last - ports->first >= MOST_PORTS)
		return fail(0,
			    "%" PRIu16 "-%" PRIu16 ": Seatbelt has no ranges "
			    "of ports: write at most %d ports, or *",
			    ports->first, ports->last, MOST_PORTS);
	for (uint32_t port = ports->first; r == 0 && port <= ports->last;
	     port++)
		r = add(s, ret,
			arena_printf(s->arena, "(%s \"%s:%" PRIu32 "\")", what,
				     host, port));
	return r;
}

static int add_rule(struct seatbelt *s, const char *text, struct strings *ret)
{
	static const struct net_ports all = { 1, LAST_PORT };
	struct net_rule rule;
	const char *host, *what;
	int r = net_rule_parse(s->arena, text, &rule);

	if (r < 0)
		return r;
	if (rule.protocol == NET_ICMP)
		return fail(0,
			    "'%s': Seatbelt cannot tell ICMP from other "
			    "protocols",
			    text);
	if (rule.host.kind != NET_HOST_ANY && !is_loopback(&rule.host))
		return fail(0,
			    "'%s': Seatbelt knows only the hosts * and "
			    "localhost: use network.http_proxy_port and let a "
			    "proxy judge the host",
			    text);
	host = rule.host.kind == NET_HOST_ANY ? "*" : "localhost";
	s->any_host = s->any_host || rule.host.kind == NET_HOST_ANY;
	what = rule.protocol == NET_TCP ? "remote tcp" : "remote udp";
	if (rule.n_ports == 0)
		return add_ports(s, what, host, &all, ret);
	for (size_t i = 0; r == 0 && i < rule.n_ports; i++)
		r = add_ports(s, what, host, &rule.ports[i], ret);
	return r < 0 ? fail_in(r, "'%s'", text) : 0;
}

static int put_rules(struct seatbelt *s, enum policy_key key, const char *head,
		     const struct strings *rules)
{
	struct strings filters = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < rules->n; i++)
		r = add_rule(s, rules->items[i], &filters);
	if (r < 0)
		return fail_in(r, "%s", policy_key_name(key));
	if (filters.n)
		text_put(&s->out, "\n; %s\n", policy_key_name(key));
	seatbelt_put_rule(s, head, &filters);
	return 0;
}

static int put_binds(struct seatbelt *s, enum policy_key key, const char *head,
		     const struct strings *items)
{
	struct strings filters = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < items->n; i++) {
		struct net_ports ports = { 1, LAST_PORT };

		if (!streq(items->items[i], "*"))
			r = net_ports_parse(items->items[i], 0, &ports);
		if (r == 0 && ports.first == 0 && ports.last == 0)
			r = fail(0, "'0': Seatbelt cannot name the ephemeral "
				    "ports: use *");
		if (r == 0)
			r = add_ports(s, "local tcp", "*", &ports, &filters);
	}
	if (r < 0)
		return fail_in(r, "%s", policy_key_name(key));
	if (filters.n)
		text_put(&s->out, "\n; %s\n", policy_key_name(key));
	seatbelt_put_rule(s, head, &filters);
	return 0;
}

static void put_everywhere(struct seatbelt *s, const char *host)
{
	text_put(&s->out,
		 "(allow network-outbound (remote ip \"%s:*\"))\n"
		 "(allow network-bind network-inbound (local ip \"%s:*\"))\n",
		 host, host);
}

/* Names are resolved by a daemon that listens on this socket. */
static void put_resolver(struct seatbelt *s)
{
	text_put(&s->out,
		 "\n; the system resolves names\n"
		 "(allow network-outbound (remote unix-socket (literal "
		 "\"/private/var/run/mDNSResponder\")))\n");
}

static void put_proxies(struct seatbelt *s)
{
	const uint32_t ports[] = { s->policy->http_proxy_port,
				   s->policy->socks_proxy_port };

	text_put(&s->out, "\n; the proxies, and nothing else\n");
	for (size_t i = 0; i < COUNT(ports); i++)
		if (ports[i])
			text_put(&s->out,
				 "(allow network-outbound (remote tcp "
				 "\"localhost:%" PRIu32 "\"))\n",
				 ports[i]);
}

static int put_remote(struct seatbelt *s)
{
	const struct policy *policy = s->policy;
	bool any_host;
	int r;

	if (has_proxy(policy)) {
		put_proxies(s);
		return 0;
	}
	if (is_open(policy)) {
		text_put(&s->out, "\n; network.mode: open\n");
		put_everywhere(s, "*");
	} else if (policy->mode == POLICY_MODE_LOOPBACK) {
		text_put(&s->out, "\n; network.mode: loopback\n");
		put_everywhere(s, "localhost");
	}
	r = put_rules(s, KEY_NET_ALLOW, "allow network-outbound",
		      &policy->net_allow);
	any_host = s->any_host || is_open(policy);
	if (r == 0)
		r = put_rules(s, KEY_NET_DENY, "deny network-outbound",
			      &policy->net_deny);
	if (r == 0 && any_host)
		put_resolver(s);
	return r;
}

/* Put one rule that wraps each filter of a path. */
static int put_sockets(struct seatbelt *s, const char *head, const char *side,
		       const struct strings *filters)
{
	struct strings sockets = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < filters->n; i++)
		r = add(s, &sockets,
			arena_printf(s->arena, "(%s unix-socket %s)", side,
				     filters->items[i]));
	seatbelt_put_rule(s, head, &sockets);
	return r;
}

/*
 * The user's own agents and terminals listen below /tmp: who reaches them runs
 * commands outside of the sandbox, or signs with the user's keys.
 */
static void deny_agents(struct seatbelt *s)
{
	if (s->writable.n)
		text_put(&s->out,
			 "; sockets of launchd, ssh-agent and tmux are not its "
			 "own\n"
			 "(deny network-outbound (remote unix-socket (regex "
			 "\"^(/private)?/tmp/(com\\\\.apple\\\\.launchd\\\\.|"
			 "ssh-|tmux-)\")))\n");
}

/* A listed link stands for the socket that it leads to. */
static int add_socket(struct seatbelt *s, const char *path, struct strings *ret)
{
	const char *real;
	int r = seatbelt_resolve(s, path, /* missing= */ true, &real);

	if (r == 0)
		r = seatbelt_add_subpath(s->arena, path, ret);
	if (r == 0 && real)
		r = seatbelt_add_subpath(s->arena, real, ret);
	return r;
}

/* Sockets that it makes itself work where it may write. */
static int put_unix(struct seatbelt *s)
{
	const struct strings *items = &s->policy->unix_;
	struct strings filters = { 0 };
	int r = 0;

	if (s->writable.n || items->n)
		text_put(&s->out, "\n; its own Unix sockets\n"
				  "(allow system-socket (socket-domain "
				  "AF_UNIX))\n");
	r = put_sockets(s, "allow network-bind network-inbound", "local",
			&s->writable);
	if (r == 0)
		r = put_sockets(s, "allow network-outbound", "remote",
				&s->writable);
	if (r == 0)
		deny_agents(s);
	for (size_t i = 0; r == 0 && i < items->n; i++)
		r = add_socket(s, items->items[i] + (items->items[i][0] == '-'),
			       &filters);
	if (r < 0)
		return fail_in(r, "%s", policy_key_name(KEY_UNIX));
	if (filters.n)
		text_put(&s->out, "\n; %s\n", policy_key_name(KEY_UNIX));
	return put_sockets(s, "allow network-outbound", "remote", &filters);
}

int seatbelt_put_network(struct seatbelt *s)
{
	const struct policy *policy = s->policy;
	int r;

	if (s->facts->bundle && !policy_has_section(policy, SECTION_NETWORK)) {
		text_put(&s->out, "\n; no key of the network is set\n"
				  "(allow network* system-socket)\n");
		return 0;
	}
	r = put_unix(s);

	if (r == 0)
		r = put_remote(s);
	if (r == 0)
		r = put_binds(s, KEY_NET_BIND,
			      "allow network-bind network-inbound",
			      &policy->bind);
	if (r == 0 && policy->allow_local_binding)
		text_put(&s->out,
			 "\n; %s\n(allow network-bind network-inbound (local "
			 "ip \"localhost:*\"))\n",
			 policy_key_name(KEY_ALLOW_LOCAL_BINDING));
	return r < 0 ? r :
		       put_binds(s, KEY_NET_DENY_BIND, "deny network-bind",
				 &policy->deny_bind);
}
