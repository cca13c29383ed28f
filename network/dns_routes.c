/* SPDX-License-Identifier: Apache-2.0 */
/* network/dns_routes.c - routes to the addresses of names, while pinned. */
#include "base/clock.h"
#include "network/batch.h"
#include "network/dns_internal.h"

#define SWEEP_MS 2000

/* The segment has the address since the start. */
static bool is_permanent(const struct net_segment *segment,
			 const struct net_address *address)
{
	for (size_t i = 0; i < segment->n; i++) {
		const struct net_prefix *to = &segment->entries[i].to;

		/* They are sorted, the longest prefix first. */
		if (to->bits != net_address_bits(address->family))
			return false;
		if (net_address_equal(&to->address, address))
			return true;
	}
	return false;
}

/* Some rule of this segment has a name that leads to the address. */
static bool is_wanted(const struct net_dns *dns,
		      const struct net_segment *segment,
		      const struct net_address *address)
{
	const struct net_rules *rules = dns->rules;

	for (size_t i = 0; i < rules->n_allow; i++) {
		const struct net_rule *rule = &rules->allow[i].rule;

		if (rule->host.kind == NET_HOST_BELOW &&
		    rule->protocol == segment->protocol &&
		    (rule->protocol == NET_ICMP ||
		     net_rule_has_port(rule, segment->ports.first)) &&
		    net_pins_match(dns->pins, rule, address))
			return true;
	}
	return false;
}

static bool is_allowed(const struct net_dns *dns,
		       const struct net_segment *segment,
		       const struct net_address *address)
{
	struct net_question question = {
		.protocol = segment->protocol,
		.to = { *address, segment->protocol == NET_ICMP ?
					  0 :
					  segment->ports.first },
	};

	return net_rules_judge(dns->rules, &question).allowed;
}

/* One message at a time, so that no answer is left unread after an error. */
static int change(struct net_dns *dns, const struct net_address *address,
		  size_t segment, bool admits)
{
	int sock = dns->engine->inside.sockets[NET_SOCKET_ROUTES];
	struct netlink_batch batch;
	uint32_t failed;

	arena_clear(&dns->messages);
	batch_open(&batch, &dns->messages);
	if (admits)
		net_routes_admit(&batch, dns->routing, segment, address);
	else
		net_routes_withdraw(&batch, dns->routing, segment, address);
	return batch_send(&batch, sock, &failed);
}

static const struct net_segments *segments_of(const struct net_dns *dns,
					      sa_family_t family)
{
	static const struct net_segments none;

	if (family == AF_INET)
		return &dns->routing->v4;
	return dns->routing->has_v6 ? &dns->routing->v6 : &none;
}

int dns_admit(struct net_dns *dns, const struct net_address *address)
{
	const struct net_segments *all = segments_of(dns, address->family);
	int r = 0;

	for (size_t i = 0; i < all->n && r == 0; i++)
		if (!is_permanent(&all->items[i], address) &&
		    is_wanted(dns, &all->items[i], address) &&
		    is_allowed(dns, &all->items[i], address))
			r = change(dns, address, i, /* admits= */ true);
	return r;
}

static void withdraw(struct net_dns *dns, const struct net_address *address)
{
	const struct net_segments *all = segments_of(dns, address->family);

	for (size_t i = 0; i < all->n; i++)
		if (!is_permanent(&all->items[i], address) &&
		    !is_wanted(dns, &all->items[i], address))
			/* There may be none. */
			(void)change(dns, address, i, /* admits= */ false);
}

/*
 * The packets of an open connection need the route, too. While it stays, a new
 * connection is denied by the judge alone.
 */
void dns_withdraw(void *ctx, const struct net_address *address)
{
	struct net_dns *dns = ctx;

	if (dns->n_lingering == DNS_LINGERING ||
	    !net_flow_exists(dns->engine, address)) {
		withdraw(dns, address);
		return;
	}
	dns->lingering[dns->n_lingering++] = *address;
	dns->sweeps = now_ms() + SWEEP_MS;
}

int64_t dns_sweep(struct net_dns *dns, int64_t now)
{
	size_t kept = 0;

	if (dns->n_lingering == 0)
		return 0;
	if (dns->sweeps > now)
		return dns->sweeps;
	for (size_t i = 0; i < dns->n_lingering; i++) {
		struct net_address address = dns->lingering[i];

		if (net_flow_exists(dns->engine, &address))
			dns->lingering[kept++] = address;
		else
			withdraw(dns, &address);
	}
	dns->n_lingering = kept;
	dns->sweeps = now + SWEEP_MS;
	return kept ? dns->sweeps : 0;
}
