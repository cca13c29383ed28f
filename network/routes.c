/* SPDX-License-Identifier: Apache-2.0 */
/* network/routes.c - write addresses, routes and routing rules. */
#include "network/routes.h"

#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "network/batch.h"

#define LO 1 /* the index of lo in every namespace */

/* Priorities of rules: the smallest is asked first. */
#define PREF_OWN 10
#define PREF_SEGMENTS 100
#define PREF_BELOW_LAST 110
#define PREF_LAST_PORT 120
#define PREF_PING 150
#define PREF_PROHIBIT 200

/* The kernel refuses a range that contains port 65535. */
#define LAST_IN_RANGE 65534

#define FIRST_TABLE 1000
#define PING_PORT 1025 /* ping connects a UDP socket to it to learn a source */

static size_t size_of(sa_family_t family)
{
	return family == AF_INET ? 4 : 16;
}

static struct net_prefix prefix_of(sa_family_t family, const char *text,
				   uint8_t bits)
{
	struct net_prefix prefix = { .address.family = family, .bits = bits };

	(void)inet_pton(family, text, prefix.address.bytes);
	return prefix;
}

static void put_lo(struct netlink_batch *batch)
{
	struct ifinfomsg link = {
		.ifi_index = LO,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};

	batch_begin(batch, RTM_NEWLINK, 0, &link, sizeof link);
}

static void put_address(struct netlink_batch *batch,
			const struct net_prefix *own)
{
	sa_family_t family = own->address.family;
	struct ifaddrmsg m = {
		.ifa_family = (uint8_t)family,
		.ifa_prefixlen = own->bits,
		.ifa_flags = IFA_F_NODAD | IFA_F_PERMANENT,
		.ifa_index = LO,
	};

	batch_begin(batch, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &m,
		    sizeof m);
	batch_put(batch, IFA_LOCAL, own->address.bytes, size_of(family));
	batch_put(batch, IFA_ADDRESS, own->address.bytes, size_of(family));
}

/*
 * A route in a table of ours; own is the source that programs see, NULL if the
 * host does not have the family: then what is allowed cannot be reached. IPv6
 * has no prohibit route on lo, so it names no device.
 */
static void change_route(struct netlink_batch *batch, uint16_t type,
			 uint32_t table, const struct net_entry *entry,
			 const struct net_prefix *own)
{
	sa_family_t family = entry->to.address.family;
	bool local = entry->allowed && own;
	struct rtmsg m = {
		.rtm_family = (uint8_t)family,
		.rtm_dst_len = entry->to.bits,
		.rtm_table = RT_TABLE_UNSPEC,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = family == AF_INET && local ? RT_SCOPE_HOST :
							  RT_SCOPE_UNIVERSE,
		.rtm_type = local	   ? RTN_LOCAL :
			    entry->allowed ? RTN_UNREACHABLE :
					     RTN_PROHIBIT,
	};

	batch_begin(batch, type,
		    type == RTM_NEWROUTE ? NLM_F_CREATE | NLM_F_REPLACE : 0, &m,
		    sizeof m);
	batch_put_u32(batch, RTA_TABLE, table);
	if (entry->to.bits)
		batch_put(batch, RTA_DST, entry->to.address.bytes,
			  size_of(family));
	if (!local)
		return;
	batch_put_u32(batch, RTA_OIF, LO);
	batch_put(batch, RTA_PREFSRC, own->address.bytes, size_of(family));
}

static void put_route(struct netlink_batch *batch, uint32_t table,
		      const struct net_entry *entry,
		      const struct net_prefix *own)
{
	change_route(batch, RTM_NEWROUTE, table, entry, own);
}

struct fib_rule {
	uint32_t pref;
	const struct net_prefix *to;   /* NULL: all */
	uint8_t protocol;	       /* 0: all */
	const struct net_ports *ports; /* NULL: all */
	uint8_t action;
	uint32_t table;
};

static void put_rule(struct netlink_batch *batch, sa_family_t family,
		     uint16_t type, const struct fib_rule *rule)
{
	struct fib_rule_hdr h = {
		.family = (uint8_t)family,
		.dst_len = rule->to ? rule->to->bits : 0,
		.table = RT_TABLE_UNSPEC,
		.action = rule->action,
	};

	batch_begin(batch, type, type == RTM_NEWRULE ? NLM_F_CREATE : 0, &h,
		    sizeof h);
	batch_put_u32(batch, FRA_PRIORITY, rule->pref);
	if (rule->table)
		batch_put_u32(batch, FRA_TABLE, rule->table);
	if (rule->to)
		batch_put(batch, FRA_DST, rule->to->address.bytes,
			  size_of(family));
	if (rule->protocol)
		batch_put_u8(batch, FRA_IP_PROTO, rule->protocol);
	if (rule->ports) {
		struct fib_rule_port_range range = { rule->ports->first,
						     rule->ports->last };

		batch_put(batch, FRA_DPORT_RANGE, &range, sizeof range);
	}
}

static uint8_t protocol_number(enum net_protocol protocol, sa_family_t family)
{
	if (protocol == NET_TCP)
		return IPPROTO_TCP;
	if (protocol == NET_UDP)
		return IPPROTO_UDP;
	return family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;
}

static bool has_all_ports(const struct net_segment *segment)
{
	return segment->protocol == NET_ICMP ||
	       (segment->ports.first == 1 && segment->ports.last == UINT16_MAX);
}

/*
 * The segment that ends with port 65535: a range without it, then a rule for
 * all ports, before which the others are prohibited.
 */
static void put_last(struct netlink_batch *batch, sa_family_t family,
		     const struct fib_rule *given)
{
	struct net_ports most = { given->ports->first, LAST_IN_RANGE };
	struct fib_rule rule = *given;

	rule.ports = &most;
	if (most.first <= most.last)
		put_rule(batch, family, RTM_NEWRULE, &rule);
	most.first = 1;
	rule.pref = PREF_BELOW_LAST;
	rule.action = FR_ACT_PROHIBIT;
	rule.table = 0;
	put_rule(batch, family, RTM_NEWRULE, &rule);
	rule = *given;
	rule.pref = PREF_LAST_PORT;
	rule.ports = NULL;
	put_rule(batch, family, RTM_NEWRULE, &rule);
}

static void put_segment(struct netlink_batch *batch, sa_family_t family,
			const struct net_segment *segment, uint32_t table,
			const struct net_prefix *own)
{
	static const struct net_ports ping = { PING_PORT, PING_PORT };
	struct fib_rule rule = {
		.pref = PREF_SEGMENTS,
		.protocol = protocol_number(segment->protocol, family),
		.ports = has_all_ports(segment) ? NULL : &segment->ports,
		.action = FR_ACT_TO_TBL,
		.table = table,
	};

	for (size_t i = 0; i < segment->n; i++)
		put_route(batch, table, &segment->entries[i], own);
	if (rule.ports && rule.ports->last == UINT16_MAX) {
		put_last(batch, family, &rule);
		return;
	}
	put_rule(batch, family, RTM_NEWRULE, &rule);
	if (segment->protocol != NET_ICMP)
		return;
	rule.pref = PREF_PING;
	rule.protocol = IPPROTO_UDP;
	rule.ports = &ping;
	put_rule(batch, family, RTM_NEWRULE, &rule);
}

/*
 * Replies and errors of the kernel look for their source in the table "local",
 * so all addresses are there, too; rules choose what programs may reach.
 */
static void put_family(struct netlink_batch *batch,
		       const struct net_routing *routing, sa_family_t family)
{
	bool v4 = family == AF_INET;
	bool here = v4 ? routing->host_v4 : routing->host_v6;
	const struct net_segments *segments = v4 ? &routing->v4 : &routing->v6;
	struct net_prefix own = v4 ? prefix_of(family, NET_OWN_V4, 32) :
				     prefix_of(family, NET_OWN_V6, 128);
	struct net_prefix lo = v4 ? prefix_of(family, "127.0.0.0", 8) :
				    prefix_of(family, "::1", 128);
	struct net_prefix dns = prefix_of(AF_INET, NET_DNS_V4, 32);
	struct net_entry all = { .to.address.family = family, .allowed = true };
	struct fib_rule rule = { .pref = PREF_OWN,
				 .to = &lo,
				 .action = FR_ACT_TO_TBL,
				 .table = RT_TABLE_LOCAL };

	put_address(batch, &own);
	put_route(batch, RT_TABLE_LOCAL, &all, &own);
	put_rule(batch, family, RTM_NEWRULE, &rule);
	rule.to = &own;
	put_rule(batch, family, RTM_NEWRULE, &rule);
	if (v4 && routing->answers_dns) {
		put_address(batch, &dns);
		rule.to = &dns;
		put_rule(batch, family, RTM_NEWRULE, &rule);
	}
	for (size_t i = 0; i < segments->n; i++)
		put_segment(batch, family, &segments->items[i],
			    FIRST_TABLE + (uint32_t)i, here ? &own : NULL);
	rule = (struct fib_rule){ .pref = PREF_PROHIBIT,
				  .action = FR_ACT_PROHIBIT };
	put_rule(batch, family, RTM_NEWRULE, &rule);
	/* The rule that a new namespace has: everything in "local" is local. */
	rule = (struct fib_rule){ .pref = 0,
				  .action = FR_ACT_TO_TBL,
				  .table = RT_TABLE_LOCAL };
	put_rule(batch, family, RTM_DELRULE, &rule);
}

void net_routes_put(struct netlink_batch *batch,
		    const struct net_routing *routing)
{
	put_lo(batch);
	put_family(batch, routing, AF_INET);
	if (routing->has_v6)
		put_family(batch, routing, AF_INET6);
	batch_ask(batch);
}

static void change_address(struct netlink_batch *batch, uint16_t type,
			   const struct net_routing *routing, size_t i,
			   const struct net_address *address)
{
	sa_family_t family = address->family;
	bool here = family == AF_INET ? routing->host_v4 : routing->host_v6;
	struct net_prefix own = family == AF_INET ?
					prefix_of(family, NET_OWN_V4, 32) :
					prefix_of(family, NET_OWN_V6, 128);
	struct net_entry entry = {
		.to = { *address, net_address_bits(family) },
		.allowed = true,
	};

	change_route(batch, type, FIRST_TABLE + (uint32_t)i, &entry,
		     here ? &own : NULL);
	batch_ask(batch);
}

void net_routes_admit(struct netlink_batch *batch,
		      const struct net_routing *routing, size_t i,
		      const struct net_address *address)
{
	change_address(batch, RTM_NEWROUTE, routing, i, address);
}

void net_routes_withdraw(struct netlink_batch *batch,
			 const struct net_routing *routing, size_t i,
			 const struct net_address *address)
{
	change_address(batch, RTM_DELROUTE, routing, i, address);
}
