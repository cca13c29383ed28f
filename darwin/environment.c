/* SPDX-License-Identifier: Apache-2.0 */
/* darwin/environment.c - filter variables. */
#include "darwin/environment.h"

#include <errno.h>

#include "base/arena.h"

int darwin_environment(struct arena *arena, const struct policy *policy,
		       enum policy_env_base base, const struct strings *given,
		       struct strings *ret)
{
	struct strings all = { 0 };
	struct env_rules rules;
	int r = policy_env_rules(arena, policy, base, &rules);

	if (r == 0)
		r = env_filter(arena, &rules, given, &all);
	if (r < 0)
		return r;
	if (!all.items)
		all.items = arena_array(arena, 1, sizeof *all.items);
	*ret = all;
	return all.items ? 0 : -ENOMEM;
}
