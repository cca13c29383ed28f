/* SPDX-License-Identifier: Apache-2.0 */
/* network/plan.c - resolve names, choose routes, start the engine. */
#include "network/plan.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "network/dns_server.h"
#include "network/published.h"
#include "network/resolve.h"
#include "policy/policy.h"

#define MOST_LOOPBACK 64
#define MOST_HOSTS (4UL << 20)

/* ---- the host ---- */

static bool leads_out(const struct net_address *address)
{
	enum net_class class = net_address_class(address);

	return class != NET_LOOPBACK &&
	       (class != NET_LINK_LOCAL || address->family == AF_INET);
}

/* The host's own addresses, and which families it uses. */
static int ask_host(struct arena *arena, struct net_plan *plan)
{
	struct net_address *own = NULL;
	struct ifaddrs *all = NULL;
	size_t n = 0, room = 0;

	if (getifaddrs(&all) < 0)
		return fail(errno, "list the addresses of the host");
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		struct net_endpoint at;

		if (!a->ifa_addr ||
		    net_endpoint_read(a->ifa_addr, sizeof(struct sockaddr_in6),
				      &at) < 0)
			continue;
		own = arena_room(arena, own, n, &room, sizeof *own);
		if (!own)
			break;
		own[n++] = at.address;
		if (leads_out(&at.address))
			*(at.address.family == AF_INET ?
				  &plan->routing.host_v4 :
				  &plan->routing.host_v6) = true;
	}
	freeifaddrs(all);
	if (n > 0 && !own)
		return -ENOMEM;
	plan->rules.own = own;
	plan->rules.n_own = n;
	plan->routing.has_v6 = access("/proc/sys/net/ipv6", F_OK) == 0;
	return 0;
}

/* ---- names ---- */

/* localhost is the host's loopback, whatever the resolver says. */
static int find_addresses(struct arena *arena, const char *name,
			  struct net_address **ret, size_t *ret_n)
{
	static const struct net_address loopback[] = {
		{ .family = AF_INET, .bytes = { 127, 0, 0, 1 } },
		{ .family = AF_INET6, .bytes = { [15] = 1 } },
	};

	if (!streq(name, "localhost"))
		return net_resolve(arena, name, ret, ret_n);
	*ret = arena_array(arena, COUNT(loopback), sizeof **ret);
	if (!*ret)
		return -ENOMEM;
	memcpy(*ret, loopback, sizeof loopback);
	*ret_n = COUNT(loopback);
	return 0;
}

static int fail_to_pin(const struct net_judge_rule *rule,
		       const struct net_address *found)
{
	enum net_class class = net_address_class(found);
	char text[NET_ADDRESS_TEXT];

	net_address_text(found, text);
	return fail(0,
		    "'%s': %s leads to %s, %s: add a rule for that address if "
		    "this is intended",
		    rule->text, rule->rule.host.name, text,
		    class == NET_PUBLIC	   ? "an address of this host" :
		    class == NET_PRIVATE   ? "a private address" :
		    class == NET_LOOPBACK  ? "a loopback address" :
		    class == NET_MULTICAST ? "a multicast address" :
					     "a link-local address");
}

static int append_hosts(struct arena *arena, struct net_plan *plan,
			const struct net_judge_rule *rule)
{
	if (streq(rule->rule.host.name, "localhost"))
		return 0;
	for (size_t i = 0; i < rule->n_pins; i++) {
		char text[NET_ADDRESS_TEXT];

		net_address_text(&rule->pins[i], text);
		plan->hosts = arena_printf(arena, "%s%s\t%s\n", plan->hosts,
					   text, rule->rule.host.name);
		if (!plan->hosts)
			return -ENOMEM;
	}
	return 0;
}

/* The same name may be in several rules: look it up once. */
static int pin(struct arena *arena, struct net_plan *plan,
	       struct net_judge_rule *rule, bool allows)
{
	bool local = streq(rule->rule.host.name, "localhost");
	struct net_address *found = NULL;
	size_t n = 0;
	int r;

	for (size_t i = 0; i < plan->rules.n_allow && allows; i++) {
		const struct net_judge_rule *other = &plan->rules.allow[i];

		if (other->n_pins > 0 && other->rule.host.name &&
		    streq(other->rule.host.name, rule->rule.host.name)) {
			rule->pins = other->pins;
			rule->n_pins = rule->room = other->n_pins;
			return 0;
		}
	}
	r = find_addresses(arena, rule->rule.host.name, &found, &n);
	if (r < 0)
		return r;
	if (local) {
		rule->pins = found;
		rule->n_pins = rule->room = n;
		return 0;
	}
	r = net_rules_pin(arena, &plan->rules, rule, found, n);
	if (r == 0)
		return fail_to_pin(rule, &found[0]);
	return r < 0 || !allows ? r : append_hosts(arena, plan, rule);
}

static int pin_list(struct arena *arena, struct net_plan *plan,
		    struct net_judge_rule *rules, size_t n, bool allows)
{
	for (size_t i = 0; i < n; i++) {
		int r = 0;

		if (rules[i].rule.host.kind == NET_HOST_NAME)
			r = pin(arena, plan, &rules[i], allows);
		if (r < 0)
			return fail_in(r, "network.%s",
				       allows ? "allow" : "deny");
	}
	return 0;
}

/* Pin an address of a name that was found without our DNS. */
static int pin_below(struct arena *arena, struct net_plan *plan,
		     const char *name, const struct net_address *address)
{
	const struct {
		struct net_judge_rule *rules;
		size_t n;
	} lists[] = {
		{ plan->rules.allow, plan->rules.n_allow },
		{ plan->rules.deny, plan->rules.n_deny },
	};

	for (size_t k = 0; k < COUNT(lists); k++)
		for (size_t i = 0; i < lists[k].n; i++) {
			struct net_judge_rule *rule = &lists[k].rules[i];
			int r;

			if (rule->rule.host.kind != NET_HOST_BELOW ||
			    !net_rule_has_name(&rule->rule, name))
				continue;
			r = net_rules_pin(arena, &plan->rules, rule, address,
					  1);
			if (r < 0)
				return r;
		}
	return 0;
}

/* A name with rules of its own is in /etc/hosts: nobody asks DNS for it. */
static int pin_listed(struct arena *arena, struct net_plan *plan)
{
	int r = 0;

	for (size_t i = 0; i < plan->rules.n_allow && r == 0; i++) {
		const struct net_judge_rule *rule = &plan->rules.allow[i];

		if (rule->rule.host.kind != NET_HOST_NAME)
			continue;
		for (size_t k = 0; k < rule->n_pins && r == 0; k++)
			r = pin_below(arena, plan, rule->rule.host.name,
				      &rule->pins[k]);
	}
	return r;
}

/* One line: an address, and names. */
static int pin_line(struct arena *arena, struct net_plan *plan, char *line)
{
	struct net_address address = { .family = AF_INET };
	char *word = strsep(&line, " \t");
	int r = 0;

	if (inet_pton(AF_INET, word, address.bytes) != 1) {
		address.family = AF_INET6;
		if (inet_pton(AF_INET6, word, address.bytes) != 1)
			return 0;
	}
	while (r == 0 && (word = strsep(&line, " \t")) != NULL)
		if (*word)
			r = pin_below(arena, plan, word, &address);
	return r;
}

/* Nor for the other names of the host's file, which the sandbox has, too. */
static int pin_hosts(struct arena *arena, struct net_plan *plan)
{
	autoclose int fd = open("/etc/hosts", O_RDONLY | O_CLOEXEC);
	char *text, *line;
	size_t len;
	int r;

	r = fd < 0 ? 0 : io_read_all(arena, fd, MOST_HOSTS, &text, &len);
	if (fd < 0 || r < 0)
		return r < 0 ? fail_in(r, "/etc/hosts") : 0;
	while (r == 0 && (line = strsep(&text, "\n")) != NULL) {
		line[strcspn(line, "#")] = '\0';
		r = pin_line(arena, plan, line);
	}
	return r;
}

/* Choose whether we answer DNS, and for whom nobody asks. */
static int plan_dns(struct arena *arena, const struct policy *policy,
		    struct net_plan *plan)
{
	int r = policy_answers_dns(arena, policy, &plan->routing.answers_dns);

	if (r < 0 || !plan->routing.answers_dns)
		return r;
	r = net_resolve_helper(arena, &plan->helper);
	if (r == 0)
		r = pin_listed(arena, plan);
	if (r == 0)
		r = pin_hosts(arena, plan);
	plan->resolver = "nameserver " NET_DNS_V4 "\n";
	return r;
}

/* ---- the host's loopback ---- */

static bool is_loopback(const struct net_judge_rule *rule)
{
	struct net_prefix prefix;

	if (rule->rule.host.kind == NET_HOST_NAME)
		return streq(rule->rule.host.name, "localhost");
	if (rule->rule.host.kind != NET_HOST_IPV4 &&
	    rule->rule.host.kind != NET_HOST_IPV6)
		return false;
	prefix = net_host_prefix(&rule->rule.host);
	return net_prefix_range(&prefix) &&
	       net_address_class(&prefix.address) == NET_LOOPBACK;
}

/* The sandbox may bind a port of network.bind itself. */
static int is_bound(const struct policy *policy, uint16_t port, bool *ret)
{
	*ret = false;
	for (size_t i = 0; i < policy->bind.n && !*ret; i++) {
		struct net_ports range;
		int r;

		if (streq(policy->bind.items[i], "*"))
			continue;
		r = net_ports_parse(policy->bind.items[i], 0, &range);
		if (r < 0)
			return r;
		*ret = port >= range.first && port <= range.last;
	}
	return 0;
}

static int add_loopback(const struct policy *policy, struct net_plan *plan,
			const struct net_judge_rule *rule, unsigned int port)
{
	bool bound;
	int r = is_bound(policy, (uint16_t)port, &bound);

	for (size_t i = 0; i < plan->n_loopback && r == 0; i++)
		bound = bound || plan->loopback[i] == port;
	if (r < 0 || bound)
		return r;
	if (plan->n_loopback == MOST_LOOPBACK)
		return fail(0,
			    "network.allow: '%s': more than %d ports of the "
			    "host's loopback: list only those that are needed",
			    rule->text, MOST_LOOPBACK);
	plan->loopback[plan->n_loopback++] = (uint16_t)port;
	return 0;
}

static int collect_loopback(struct arena *arena, const struct policy *policy,
			    struct net_plan *plan)
{
	plan->loopback =
		arena_array(arena, MOST_LOOPBACK, sizeof *plan->loopback);
	if (!plan->loopback)
		return -ENOMEM;
	for (size_t i = 0; i < plan->rules.n_allow; i++) {
		const struct net_judge_rule *rule = &plan->rules.allow[i];
		int r = 0;

		if (!is_loopback(rule))
			continue;
		if (rule->rule.protocol != NET_TCP || rule->rule.n_ports == 0)
			return fail(0,
				    "network.allow: '%s': only TCP ports of "
				    "the host's loopback can be allowed, such "
				    "as 127.0.0.1:5432",
				    rule->text);
		for (size_t k = 0; k < rule->rule.n_ports; k++)
			for (unsigned int port = rule->rule.ports[k].first;
			     port <= rule->rule.ports[k].last && r == 0; port++)
				r = add_loopback(policy, plan, rule, port);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- the plan ---- */

static void find_protocols(struct net_plan *plan)
{
	bool open = plan->rules.n_allow == 0;

	plan->udp = plan->icmp = open;
	for (size_t i = 0; i < plan->rules.n_allow; i++) {
		enum net_protocol protocol = plan->rules.allow[i].rule.protocol;

		plan->udp = plan->udp || protocol == NET_UDP;
		plan->icmp = plan->icmp || protocol == NET_ICMP;
	}
}

/* Echo requests are ours, so we need a socket for them. */
static int check_ping(const struct net_plan *plan)
{
	autoclose int fd = -1;

	if (!plan->icmp || plan->rules.n_allow == 0)
		return 0;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (fd >= 0)
		return 0;
	return fail(errno,
		    "network.allow: icmp:// requires ping sockets of the "
		    "host: add group %u to the sysctl "
		    "net.ipv4.ping_group_range",
		    getegid());
}

int net_plan_make(struct arena *arena, const struct policy *policy,
		  struct net_plan *ret)
{
	struct net_plan plan = { .has_rules = true, .hosts = "" };
	int r = net_rules_read(arena, policy, &plan.rules);

	if (r == 0)
		r = ask_host(arena, &plan);
	if (r == 0)
		r = pin_list(arena, &plan, plan.rules.allow, plan.rules.n_allow,
			     "network.allow");
	if (r == 0)
		r = pin_list(arena, &plan, plan.rules.deny, plan.rules.n_deny,
			     false);
	if (r == 0)
		r = plan_dns(arena, policy, &plan);
	if (r == 0)
		r = collect_loopback(arena, policy, &plan);
	if (r == 0)
		r = net_segments_make(arena, &plan.rules, AF_INET,
				      &plan.routing.v4);
	if (r == 0)
		r = net_segments_make(arena, &plan.rules, AF_INET6,
				      &plan.routing.v6);
	if (r < 0)
		return r;
	find_protocols(&plan);
	r = check_ping(&plan);
	if (r < 0)
		return r;
	plan.routing.pings = plan.icmp;
	*ret = plan;
	return 0;
}

static int open_namespace(const struct net_place *place, const char *which)
{
	char name[64];
	int fd;

	snprintf(name, sizeof name, "%d/ns/%s", place->pid, which);
	fd = openat(place->proc, name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? fail(errno, "open /proc/%s", name) : fd;
}

int net_plan_start(struct arena *arena, struct net_plan *plan,
		   const struct net_place *place, struct net_engine **ret)
{
	AUTO(net_inside_close) struct net_inside inside = NET_INSIDE_NONE;
	autoclose int netns = open_namespace(place, "net");
	autoclose int userns =
		place->own_users ? open_namespace(place, "user") : -1;
	struct net_inside_want want = {
		.userns = userns,
		.netns = netns,
		.routing = plan->has_rules ? &plan->routing : NULL,
		.loopback = plan->loopback,
		.n_loopback = plan->n_loopback,
		.publishes = place->published && place->published->n > 0,
	};
	struct net_dns_want dns = {
		.helper = plan->helper,
		.rules = &plan->rules,
		.routing = &plan->routing,
	};
	struct net_engine_want engine = {
		.rules = &plan->rules,
		.dns = plan->routing.answers_dns ? &dns : NULL,
		.inside = &inside,
		.published = place->published,
		.report = place->report,
		.ctx = place->ctx,
	};
	int r;

	if (netns < 0 || (place->own_users && userns < 0))
		return -1;
	r = net_inside_open(arena, &want, &inside);
	return r < 0 ? r : net_engine_open(&engine, ret);
}
