/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/rules.h - judge destinations by the rules of network.allow and
 * network.deny.
 *
 * A rule that denies is stronger than any that allows. With any allow rule,
 * what none of them matches is denied; without, it is allowed.
 *
 * A rule with a name matches the addresses that are pinned to it. A rule for
 * any host, or for a large range, matches no link-local, metadata or multicast
 * address: only a rule for addresses of that range does.
 */
#pragma once

#include <stddef.h>

#include "network/address.h"
#include "policy/net_rule.h"

struct arena;
struct net_pins;
struct policy;

struct net_judge_rule {
	struct net_rule rule;
	const char *text;	  /* as the policy has it */
	struct net_address *pins; /* for names */
	size_t n_pins, room;
};

struct net_rules {
	struct net_judge_rule *allow;
	size_t n_allow;
	struct net_judge_rule *deny;
	size_t n_deny;
	/* The host's own addresses: no name leads there. */
	const struct net_address *own;
	size_t n_own;
	/* Names resolved while the sandbox runs; NULL: none. */
	const struct net_pins *names;
};

struct net_question {
	enum net_protocol protocol;
	struct net_endpoint to; /* the port of ICMP is 0 */
};

struct net_verdict {
	bool allowed;
	const char *rule; /* that decided; NULL: none matches */
};

/* Parse the rules of a policy; names have no pins yet. */
int net_rules_read(struct arena *arena, const struct policy *policy,
		   struct net_rules *ret);
/* True if this name may lead to the address; see net_rules_pin. */
bool net_rules_may_pin(const struct net_rules *rules,
		       const struct net_address *address);
/*
 * Pin addresses of its name to an allow rule, or to a deny rule. For an allow
 * rule, addresses that are loopback, link-local, private or the host's own are
 * left out unless a rule names them. Returns how many were pinned.
 */
int net_rules_pin(struct arena *arena, const struct net_rules *rules,
		  struct net_judge_rule *rule, const struct net_address *found,
		  size_t n);
/* True if the rule has a name, or *.name, that this name matches. */
bool net_rule_has_name(const struct net_rule *rule, const char *name);
/*
 * True if names inside may be resolved to this name's addresses: a rule allows
 * it, and none denies all that this rule allows.
 */
bool net_rules_answer(const struct net_rules *rules, const char *name);
/* True if the rule is about this port. */
bool net_rule_has_port(const struct net_rule *rule, uint16_t port);
struct net_verdict net_rules_judge(const struct net_rules *rules,
				   const struct net_question *question);
/* Find a name of a rule that leads to the address; NULL: none. */
const char *net_rules_name(const struct net_rules *rules,
			   const struct net_address *address);
/* Convert the host of a rule with an address. */
struct net_prefix net_host_prefix(const struct net_host *host);
