/* SPDX-License-Identifier: Apache-2.0 */
/* confine/nested.c - relax a policy inside a container, if it allows that. */
#include "confine/nested.h"

#include "confine/host.h"
#include "policy/policy.h"

int nested_weaken(struct arena *arena, struct host *host, struct policy *policy)
{
	const uint32_t weaker = 1U << PROTECT_NAMESPACES |
				1U << PROTECT_CGROUPS;
	const char *mark;
	int r;

	if (!policy->weaker_nested)
		return 0;
	r = host_container(arena, host, &mark);
	if (r < 0 || !mark)
		return r;
	if (!policy->set[KEY_ALLOW_DEGRADED])
		policy->origin[KEY_ALLOW_DEGRADED] =
			policy->origin[KEY_WEAKER_NESTED];
	policy->set[KEY_ALLOW_DEGRADED] = true;
	policy->allow_degraded |= weaker & ~policy->disable & ~policy->strict;
	return 0;
}
