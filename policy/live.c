/* SPDX-License-Identifier: Apache-2.0 */
/* policy/live.c - change the policy of a workload that runs already. */
#include <errno.h>

#include "base/err.h"
#include "base/util.h"
#include "policy/tighten.h"

bool policy_is_live(enum policy_key key)
{
	static const enum policy_key live[] = {
		KEY_MEMORY, KEY_PROCESSES, KEY_TASKS, KEY_CPU, KEY_CPU_CORES,
	};

	for (size_t i = 0; i < COUNT(live); i++)
		if (live[i] == key)
			return true;
	return false;
}

/* Set the keys of the change, each of which must be able to change. */
static int take_keys(struct arena *arena, const struct policy *old,
		     const struct policy *change, const char *what,
		     struct policy *ret)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		bool same = false;
		int r = 0;

		if (!change->set[key])
			continue;
		if (old->set[key])
			r = policy_same_value(arena, old, change, key, &same);
		if (r < 0)
			return r;
		if (!same && !policy_is_live(key))
			return fail(0,
				    "%s cannot change while the %s runs: "
				    "remove this key from %s",
				    policy_key_name(key), what,
				    change->origin[key]);
		if (!same)
			policy_take_key(ret, change, key);
	}
	return 0;
}

/* What can change live does not depend on other keys of the floor. */
static int keep_to_floors(struct arena *arena, struct policy *policy)
{
	const struct policy_floor *floor;

	for (floor = policy->floor; floor; floor = floor->policy.floor) {
		const struct policy base = *policy;
		const struct tighten t = { arena, &base, floor, policy };

		for (enum policy_key key = 0; key < KEY_COUNT; key++) {
			int r = policy_is_live(key) ?
					policy_tightener(key)(&t, key) :
					0;

			if (r < 0)
				return r;
		}
	}
	return 0;
}

int policy_change(struct arena *arena, const struct policy *old,
		  const struct policy *change, bool bundle, struct policy *ret)
{
	struct policy made = *old;
	int r = policy_refuse_unenforced(change);

	if (r >= 0)
		r = take_keys(arena, old, change,
			      bundle ? "container" : "sandbox", &made);
	if (r >= 0)
		r = keep_to_floors(arena, &made);
	if (r >= 0)
		r = policy_check(&made, bundle);
	if (r >= 0)
		*ret = made;
	return r;
}
