/* SPDX-License-Identifier: Apache-2.0 */
/* network/segments.c - cut rules into segments of ports. */
#include "network/segments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"

#define LAST_PORT 65535U
#define ENDS (LAST_PORT + 2)

struct cutting {
	struct arena *arena;
	const struct net_rules *rules;
	sa_family_t family;
	enum net_protocol protocol;
	struct net_segments *out;
	size_t room;
	bool *starts; /* by port: a segment may begin here */
	struct net_entry *entries;
	size_t n, entries_room;
};

static void mark_starts(struct cutting *c, const struct net_judge_rule *rules,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct net_rule *rule = &rules[i].rule;

		if (rule->protocol != c->protocol)
			continue;
		for (size_t k = 0; k < rule->n_ports; k++) {
			c->starts[rule->ports[k].first] = true;
			c->starts[rule->ports[k].last + 1U] = true;
		}
	}
}

static int add(struct cutting *c, const struct net_prefix *to, bool allowed)
{
	struct net_entry *entries;

	if (to->address.family != c->family)
		return 0;
	entries = arena_room(c->arena, c->entries, c->n, &c->entries_room,
			     sizeof *entries);
	if (!entries)
		return -ENOMEM;
	c->entries = entries;
	c->entries[c->n++] = (struct net_entry){ *to, allowed };
	return 0;
}

static int add_hosts(struct cutting *c, const struct net_judge_rule *rule,
		     bool allowed)
{
	struct net_prefix to = { .address.family = c->family };
	int r = 0;

	switch (rule->rule.host.kind) {
	case NET_HOST_ANY:
		return add(c, &to, allowed);
	case NET_HOST_IPV4:
	case NET_HOST_IPV6:
		to = net_host_prefix(&rule->rule.host);
		return add(c, &to, allowed);
	case NET_HOST_NAME:
	case NET_HOST_BELOW:
		break;
	}
	to.bits = net_address_bits(c->family);
	for (size_t i = 0; i < rule->n_pins && r == 0; i++) {
		to.address = rule->pins[i];
		r = add(c, &to, allowed);
	}
	return r;
}

static int add_rules(struct cutting *c, const struct net_judge_rule *rules,
		     size_t n, unsigned int port, bool allowed)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		if (rules[i].rule.protocol == c->protocol &&
		    net_rule_has_port(&rules[i].rule, (uint16_t)port))
			r = add_hosts(c, &rules[i], allowed);
	return r;
}

/*
 * A large prefix does not allow the guarded ranges in it. An entry for less
 * than the range is longer, and decides.
 */
static int add_guards(struct cutting *c)
{
	const struct net_prefix *range;
	size_t n = c->n;

	for (unsigned int k = 0;
	     (range = net_guarded_range(c->family, k)) != NULL; k++) {
		bool larger = false, named = false;
		int r;

		for (size_t i = 0; i < n; i++) {
			const struct net_prefix *to = &c->entries[i].to;

			if (!c->entries[i].allowed)
				continue;
			named = named || (to->bits == range->bits &&
					  net_prefix_contains(to, range));
			larger = larger || (to->bits < range->bits &&
					    net_prefix_contains(to, range));
		}
		r = larger && !named ? add(c, range, false) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Long prefixes first; of equal ones, that which denies. */
static int compare(const void *a, const void *b)
{
	const struct net_entry *x = a, *y = b;
	int order;

	if (x->to.bits != y->to.bits)
		return x->to.bits > y->to.bits ? -1 : 1;
	order = memcmp(x->to.address.bytes, y->to.address.bytes,
		       sizeof x->to.address.bytes);
	return order ? order : (int)x->allowed - (int)y->allowed;
}

static bool is_denied(const struct net_entry *denials, size_t n,
		      const struct net_prefix *to)
{
	for (size_t i = 0; i < n; i++)
		if (net_prefix_contains(&denials[i].to, to))
			return true;
	return false;
}

/*
 * Collect the entries of a segment: denials, then what they leave. A denial
 * beats a longer prefix that is allowed.
 */
static int collect(struct cutting *c, unsigned int port)
{
	const struct net_rules *rules = c->rules;
	struct net_prefix any = { .address.family = c->family };
	size_t n_denials, kept;
	int r;

	c->entries = NULL;
	c->n = c->entries_room = 0;
	r = add_rules(c, rules->deny, rules->n_deny, port, false);
	n_denials = c->n;
	if (r == 0 && rules->n_allow == 0)
		r = add(c, &any, true);
	if (r == 0)
		r = add_rules(c, rules->allow, rules->n_allow, port, true);
	if (r < 0)
		return r;
	kept = n_denials;
	for (size_t i = n_denials; i < c->n; i++)
		if (!is_denied(c->entries, n_denials, &c->entries[i].to))
			c->entries[kept++] = c->entries[i];
	if (kept == n_denials) /* nothing is allowed */
		kept = 0;
	c->n = kept;
	r = rules->n_allow ? add_guards(c) : 0;
	if (r < 0 || c->n == 0)
		return r;
	qsort(c->entries, c->n, sizeof *c->entries, compare);
	kept = 1;
	for (size_t i = 1; i < c->n; i++)
		if (c->entries[i].to.bits != c->entries[kept - 1].to.bits ||
		    !net_address_equal(&c->entries[i].to.address,
				       &c->entries[kept - 1].to.address))
			c->entries[kept++] = c->entries[i];
	c->n = kept;
	return 0;
}

static bool same_entries(const struct net_segment *segment,
			 const struct cutting *c)
{
	if (segment->n != c->n)
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (compare(&segment->entries[i], &c->entries[i]) != 0)
			return false;
	return true;
}

/* A rule with "*." for this port: its addresses come later. */
static bool awaits_names(const struct cutting *c, unsigned int port)
{
	for (size_t i = 0; i < c->rules->n_allow; i++) {
		const struct net_rule *rule = &c->rules->allow[i].rule;

		if (rule->host.kind == NET_HOST_BELOW &&
		    rule->protocol == c->protocol &&
		    net_rule_has_port(rule, (uint16_t)port))
			return true;
	}
	return false;
}

/*
 * Continue the previous segment if nothing differs, and nothing will when names
 * get addresses.
 */
static int put_segment(struct cutting *c, unsigned int first, unsigned int last)
{
	struct net_segments *out = c->out;
	struct net_segment *before = out->n ? &out->items[out->n - 1] : NULL;
	struct net_segment *items;

	bool awaits = awaits_names(c, first);

	if (c->n == 0 && !awaits)
		return 0;
	if (before && before->protocol == c->protocol &&
	    before->ports.last + 1U == first && same_entries(before, c) &&
	    !awaits && !awaits_names(c, before->ports.last)) {
		before->ports.last = (uint16_t)last;
		return 0;
	}
	items = arena_room(c->arena, out->items, out->n, &c->room,
			   sizeof *items);
	if (!items)
		return -ENOMEM;
	out->items = items;
	out->items[out->n++] = (struct net_segment){
		.protocol = c->protocol,
		.ports = { (uint16_t)first, (uint16_t)last },
		.entries = c->entries,
		.n = c->n,
	};
	return 0;
}

static int cut(struct cutting *c)
{
	unsigned int first = 1;
	int r = 0;

	memset(c->starts, 0, ENDS * sizeof *c->starts);
	mark_starts(c, c->rules->allow, c->rules->n_allow);
	mark_starts(c, c->rules->deny, c->rules->n_deny);
	for (unsigned int next = 2; next <= LAST_PORT + 1 && r == 0; next++) {
		if (next <= LAST_PORT && !c->starts[next])
			continue;
		r = collect(c, first);
		if (r == 0)
			r = put_segment(c, first, next - 1);
		first = next;
	}
	return r;
}

int net_segments_make(struct arena *arena, const struct net_rules *rules,
		      sa_family_t family, struct net_segments *ret)
{
	static const enum net_protocol protocols[] = { NET_TCP, NET_UDP,
						       NET_ICMP };
	struct net_segments out = { 0 };
	struct cutting c = {
		.arena = arena,
		.rules = rules,
		.family = family,
		.out = &out,
		.starts = arena_array(arena, ENDS, sizeof *c.starts),
	};

	if (!c.starts)
		return -ENOMEM;
	for (size_t i = 0; i < COUNT(protocols); i++) {
		int r;

		c.protocol = protocols[i];
		r = cut(&c);
		if (r < 0)
			return r;
	}
	*ret = out;
	return 0;
}

bool net_segments_allow(const struct net_segments *segments,
			const struct net_question *question)
{
	for (size_t i = 0; i < segments->n; i++) {
		const struct net_segment *s = &segments->items[i];

		if (s->protocol != question->protocol ||
		    (s->protocol != NET_ICMP &&
		     (question->to.port < s->ports.first ||
		      question->to.port > s->ports.last)))
			continue;
		/* They are sorted, the longest prefix first. */
		for (size_t k = 0; k < s->n; k++)
			if (net_prefix_has(&s->entries[k].to,
					   &question->to.address))
				return s->entries[k].allowed;
		return false;
	}
	return false;
}
