/* SPDX-License-Identifier: Apache-2.0 */
/* network/rules.c - read, pin and apply rules. */
#include "network/rules.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strings.h"
#include "base/util.h"
#include "network/pins.h"
#include "policy/policy.h"

static int read_list(struct arena *arena, const struct strings *list,
		     const char *key, struct net_judge_rule **ret,
		     size_t *ret_n)
{
	struct net_judge_rule *rules =
		arena_array(arena, list->n, sizeof *rules);

	if (list->n && !rules)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		/* The rules may outlive the policy. */
		const char *text = arena_strdup(arena, list->items[i]);
		int r = text ? net_rule_parse(arena, text, &rules[i].rule) :
			       -ENOMEM;

		if (r < 0)
			return fail_in(r, "%s", key);
		rules[i].text = text;
	}
	*ret = rules;
	*ret_n = list->n;
	return 0;
}

/* A proxy is a rule for its port of the host's loopback. */
static int list_allowed(struct arena *arena, const struct policy *policy,
			struct strings *ret)
{
	const struct {
		enum policy_key key;
		uint32_t port;
	} proxies[] = {
		{ KEY_HTTP_PROXY_PORT, policy->http_proxy_port },
		{ KEY_SOCKS_PROXY_PORT, policy->socks_proxy_port },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < policy->net_allow.n; i++)
		r = strings_add(arena, ret, policy->net_allow.items[i]);
	for (size_t i = 0; r == 0 && i < COUNT(proxies); i++)
		if (policy->set[proxies[i].key])
			r = strings_add(arena, ret,
					arena_printf(arena,
						     "127.0.0.1:%" PRIu32,
						     proxies[i].port));
	return r;
}

int net_rules_read(struct arena *arena, const struct policy *policy,
		   struct net_rules *ret)
{
	struct net_rules rules = { 0 };
	struct strings allowed = { 0 };
	int r = list_allowed(arena, policy, &allowed);

	if (r == 0)
		r = read_list(arena, &allowed, "network.allow", &rules.allow,
			      &rules.n_allow);
	if (r == 0)
		r = read_list(arena, &policy->net_deny, "network.deny",
			      &rules.deny, &rules.n_deny);
	if (r < 0)
		return r;
	*ret = rules;
	return 0;
}

struct net_prefix net_host_prefix(const struct net_host *host)
{
	struct net_prefix prefix = {
		.address.family = host->kind == NET_HOST_IPV4 ? AF_INET :
								AF_INET6,
		.bits = host->prefix,
	};

	memcpy(prefix.address.bytes, host->address, sizeof host->address);
	return prefix;
}

static bool has_address(const struct net_host *host)
{
	return host->kind == NET_HOST_IPV4 || host->kind == NET_HOST_IPV6;
}

/* ---- pins ---- */

/* A range that contains more than the class of the address does not name it. */
static bool is_named(const struct net_rules *rules,
		     const struct net_address *address)
{
	for (size_t i = 0; i < rules->n_allow; i++) {
		const struct net_host *host = &rules->allow[i].rule.host;
		struct net_prefix prefix;

		if (!has_address(host))
			continue;
		prefix = net_host_prefix(host);
		if (net_prefix_has(&prefix, address) &&
		    (prefix.bits == net_address_bits(address->family) ||
		     net_prefix_range(&prefix)))
			return true;
	}
	return false;
}

bool net_rules_may_pin(const struct net_rules *rules,
		       const struct net_address *address)
{
	bool own = false;

	for (size_t i = 0; i < rules->n_own && !own; i++)
		own = net_address_equal(&rules->own[i], address);
	return (net_address_class(address) == NET_PUBLIC && !own) ||
	       is_named(rules, address);
}

static bool is_pinned(const struct net_judge_rule *rule,
		      const struct net_address *address)
{
	for (size_t i = 0; i < rule->n_pins; i++)
		if (net_address_equal(&rule->pins[i], address))
			return true;
	return false;
}

int net_rules_pin(struct arena *arena, const struct net_rules *rules,
		  struct net_judge_rule *rule, const struct net_address *found,
		  size_t n)
{
	bool allows = rule >= rules->allow &&
		      rule < rules->allow + rules->n_allow;
	int pinned = 0;

	for (size_t i = 0; i < n; i++) {
		struct net_address *pins;

		if (is_pinned(rule, &found[i]) ||
		    (allows && !net_rules_may_pin(rules, &found[i])))
			continue;
		pins = arena_room(arena, rule->pins, rule->n_pins, &rule->room,
				  sizeof *pins);
		if (!pins)
			return -ENOMEM;
		rule->pins = pins;
		rule->pins[rule->n_pins++] = found[i];
		pinned++;
	}
	return pinned;
}

/* ---- judge ---- */

bool net_rule_has_name(const struct net_rule *rule, const char *name)
{
	const struct net_host *host = &rule->host;
	size_t len = strlen(name), tail;

	if (len > 1 && name[len - 1] == '.')
		len--;
	if (host->kind == NET_HOST_NAME)
		return strlen(host->name) == len &&
		       strncasecmp(host->name, name, len) == 0;
	if (host->kind != NET_HOST_BELOW)
		return false;
	tail = strlen(host->name);
	return len > tail + 1 && name[len - tail - 1] == '.' &&
	       strncasecmp(name + len - tail, host->name, tail) == 0;
}

bool net_rule_has_port(const struct net_rule *rule, uint16_t port)
{
	for (size_t i = 0; i < rule->n_ports; i++)
		if (port >= rule->ports[i].first && port <= rule->ports[i].last)
			return true;
	return rule->n_ports == 0;
}

/* Only a rule inside of a guarded range matches addresses of the range. */
static bool passes_guard(const struct net_prefix *prefix,
			 const struct net_address *address)
{
	const struct net_prefix *range;

	for (unsigned int i = 0;
	     (range = net_guarded_range(address->family, i)) != NULL; i++)
		if (net_prefix_has(range, address) &&
		    !net_prefix_contains(range, prefix))
			return false;
	return true;
}

static bool has_host(const struct net_rules *rules,
		     const struct net_judge_rule *rule,
		     const struct net_address *address, bool guarded)
{
	struct net_prefix prefix = { .address.family = address->family };

	switch (rule->rule.host.kind) {
	case NET_HOST_NAME:
	case NET_HOST_BELOW:
		return is_pinned(rule, address) ||
		       (rules->names &&
			net_pins_match(rules->names, &rule->rule, address));
	case NET_HOST_ANY:
		break;
	case NET_HOST_IPV4:
	case NET_HOST_IPV6:
		prefix = net_host_prefix(&rule->rule.host);
		break;
	}
	return net_prefix_has(&prefix, address) &&
	       (!guarded || passes_guard(&prefix, address));
}

static const struct net_judge_rule *
find_match(const struct net_rules *rules, bool allows,
	   const struct net_question *question)
{
	const struct net_judge_rule *list = allows ? rules->allow : rules->deny;
	size_t n = allows ? rules->n_allow : rules->n_deny;

	for (size_t i = 0; i < n; i++)
		if (list[i].rule.protocol == question->protocol &&
		    net_rule_has_port(&list[i].rule, question->to.port) &&
		    has_host(rules, &list[i], &question->to.address,
			     /* guarded= */ allows))
			return &list[i];
	return NULL;
}

struct net_verdict net_rules_judge(const struct net_rules *rules,
				   const struct net_question *question)
{
	const struct net_judge_rule *match;

	match = find_match(rules, /* allows= */ false, question);
	if (match)
		return (struct net_verdict){ false, match->text };
	if (rules->n_allow == 0)
		return (struct net_verdict){ true, NULL };
	match = find_match(rules, /* allows= */ true, question);
	return (struct net_verdict){ match != NULL,
				     match ? match->text : NULL };
}

/* ---- names ---- */

static bool has_ports(const struct net_rule *rule, const struct net_rule *other)
{
	if (rule->n_ports == 0)
		return true;
	for (size_t i = 0; i < other->n_ports; i++)
		for (unsigned int port = other->ports[i].first;
		     port <= other->ports[i].last; port++)
			if (!net_rule_has_port(rule, (uint16_t)port))
				return false;
	return other->n_ports > 0;
}

/* Some rule denies the name everything that this rule allows. */
static bool denies_name(const struct net_rules *rules, const char *name,
			const struct net_rule *allowed)
{
	for (size_t i = 0; i < rules->n_deny; i++) {
		const struct net_rule *rule = &rules->deny[i].rule;

		if (rule->protocol == allowed->protocol &&
		    net_rule_has_name(rule, name) && has_ports(rule, allowed))
			return true;
	}
	return false;
}

bool net_rules_answer(const struct net_rules *rules, const char *name)
{
	static const struct net_rule any = { .protocol = NET_TCP };

	if (rules->n_allow == 0)
		return !denies_name(rules, name, &any);
	for (size_t i = 0; i < rules->n_allow; i++) {
		const struct net_rule *rule = &rules->allow[i].rule;

		if ((rule->host.kind == NET_HOST_ANY ||
		     net_rule_has_name(rule, name)) &&
		    !denies_name(rules, name, rule))
			return true;
	}
	return false;
}

static const char *find_name(const struct net_judge_rule *rules, size_t n,
			     const struct net_address *address)
{
	for (size_t i = 0; i < n; i++)
		if (rules[i].rule.host.kind == NET_HOST_NAME &&
		    is_pinned(&rules[i], address))
			return rules[i].rule.host.name;
	return NULL;
}

const char *net_rules_name(const struct net_rules *rules,
			   const struct net_address *address)
{
	const char *name = find_name(rules->allow, rules->n_allow, address);

	if (!name)
		name = find_name(rules->deny, rules->n_deny, address);
	return name || !rules->names ? name :
				       net_pins_name(rules->names, address);
}
