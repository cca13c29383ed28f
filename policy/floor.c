/* SPDX-License-Identifier: Apache-2.0 */
/* policy/floor.c - load the profiles that every policy must obey. */
#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/keys.h"
#include "policy/profile_find.h"

/* A profile for both programs may have keys of `sandlock run`. */
static void drop_foreign(struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy_key_info(key)->bundle == POLICY_BUNDLE_NEVER)
			policy->set[key] = false;
}

/* A floor is for every image and host, so that a path may be missing. */
static int make_optional(struct arena *arena, struct strings *list)
{
	const char **items = arena_array(arena, list->n + 1, sizeof *items);

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		const char *item = list->items[i];

		items[i] = item[0] == '-' || item[0] == '@' ?
				   item :
				   arena_printf(arena, "-%s", item);
		if (!items[i])
			return -ENOMEM;
	}
	if (list->n)
		list->items = items;
	return 0;
}

static int load(struct arena *arena, const char *name,
		const struct policy_place *place, struct policy_floor *ret)
{
	struct policy *policy = &ret->policy;
	struct strings *const lists[] = {
		&policy->read,	  &policy->write, &policy->write_only,
		&policy->execute, &policy->unix_,
	};
	int r = profile_load(arena, name, profile_system_folders, place, policy,
			     &ret->name);

	if (r >= 0 && place->bundle)
		drop_foreign(policy);
	for (size_t i = 0; r >= 0 && i < sizeof lists / sizeof *lists; i++)
		r = make_optional(arena, lists[i]);
	if (r >= 0)
		r = policy_check(policy, place->bundle);
	return r;
}

int policy_floor_load(struct arena *arena, const struct strings *names,
		      const struct policy_place *place,
		      const struct policy_floor **ret_floor)
{
	const struct policy_floor *floor = NULL;

	for (size_t i = 0; i < names->n; i++) {
		struct policy_floor *next = arena_alloc(arena, sizeof *next);
		int r;

		if (!next)
			return -ENOMEM;
		*next = (struct policy_floor){ .bundle = place->bundle };
		r = load(arena, names->items[i], place, next);
		if (r >= 0 && floor)
			r = policy_tighten(arena, &next->policy, floor,
					   &next->policy);
		if (r < 0)
			return fail_in(r, "enforce %s", names->items[i]);
		floor = next;
	}
	*ret_floor = floor;
	return 0;
}
