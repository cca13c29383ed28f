/* SPDX-License-Identifier: Apache-2.0 */
/* policy/floor.c - load the profiles that every policy must obey. */
#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/profile_find.h"
#include "policy/writers.h"

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

/*
 * The caller chooses HOME. So ~ is the home of the user database, if there is
 * one, and what is denied is denied in both.
 */
static int load_both(struct arena *arena, const char *name,
		     const struct policy_place *place, struct policy_floor *ret)
{
	struct policy_place own = *place;
	struct policy *policy = &ret->policy, other = { 0 };
	struct strings *const lists[] = { &policy->deny, &policy->deny_read,
					  &policy->deny_write,
					  &policy->deny_execute };
	const struct strings *const others[] = { &other.deny, &other.deny_read,
						 &other.deny_write,
						 &other.deny_execute };
	int r;

	ret->home = place->account;
	if (place->account)
		own.home = place->account;
	r = profile_load(arena, name, profile_system_folders, &own, policy,
			 &ret->name);
	if (r < 0 || !place->account || !place->home ||
	    streq(place->account, place->home))
		return r;
	r = profile_load(arena, name, profile_system_folders, place, &other,
			 NULL);
	for (size_t i = 0; r >= 0 && i < COUNT(lists); i++)
		for (size_t k = 0; r >= 0 && k < others[i]->n; k++)
			if (!strings_has(lists[i], others[i]->items[k]))
				r = strings_add(arena, lists[i],
						others[i]->items[k]);
	return r;
}

static int load(struct arena *arena, const char *name,
		const struct policy_place *place, struct policy_floor *ret)
{
	struct policy *policy = &ret->policy;
	struct strings *const lists[] = {
		&policy->read,	  &policy->write, &policy->write_only,
		&policy->execute, &policy->unix_,
	};
	int r = load_both(arena, name, place, ret);

	/* Whoever can write the file could loosen it. */
	if (r >= 0 && ret->name)
		r = writers_check_file(arena, ret->name);
	if (r >= 0 && !ret->name)
		ret->name = name;
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
