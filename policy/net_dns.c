/* SPDX-License-Identifier: Apache-2.0 */
/* policy/net_dns.c - do the rules of a policy need an answer to DNS? */
#include "base/err.h"
#include "policy/net_rule.h"
#include "policy/policy.h"

static bool has_dns_port(const struct net_rule *rule)
{
	for (size_t i = 0; i < rule->n_ports; i++)
		if (rule->ports[i].first <= 53 && rule->ports[i].last >= 53)
			return true;
	return rule->n_ports == 0;
}

int policy_answers_dns(struct arena *arena, const struct policy *policy,
		       bool *ret)
{
	bool below = false, anywhere = false, servers = false;

	if (policy_denies_alone(policy)) {
		*ret = policy_has_rules(policy);
		return 0;
	}
	for (size_t i = 0; i < policy->net_allow.n; i++) {
		struct net_rule rule;
		int r = net_rule_parse(arena, policy->net_allow.items[i],
				       &rule);

		if (r < 0)
			return fail_in(r, "network.allow");
		below = below || rule.host.kind == NET_HOST_BELOW;
		anywhere = anywhere || (rule.protocol == NET_TCP &&
					rule.host.kind == NET_HOST_ANY);
		servers = servers ||
			  (rule.protocol == NET_UDP && has_dns_port(&rule));
	}
	*ret = below || (anywhere && !servers);
	return 0;
}
