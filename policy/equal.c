/* SPDX-License-Identifier: Apache-2.0 */
/* policy/equal.c - whether two policies say the same. */
#include <string.h>

#include "base/util.h"
#include "policy/types.h"

POLICY_EQUAL(policy_equal_bool)
{
	return *(const bool *)a == *(const bool *)b;
}

POLICY_EQUAL(policy_equal_u32)
{
	return *(const uint32_t *)a == *(const uint32_t *)b;
}

POLICY_EQUAL(policy_equal_u64)
{
	return *(const uint64_t *)a == *(const uint64_t *)b;
}

POLICY_EQUAL(policy_equal_branch)
{
	return *(const enum policy_branch *)a == *(const enum policy_branch *)b;
}

POLICY_EQUAL(policy_equal_mode)
{
	return *(const enum policy_mode *)a == *(const enum policy_mode *)b;
}

POLICY_EQUAL(policy_equal_time)
{
	const struct policy_time *x = a, *y = b;

	return x->seconds == y->seconds && x->nanoseconds == y->nanoseconds;
}

POLICY_EQUAL(policy_equal_text)
{
	return streq(*(const char *const *)a, *(const char *const *)b);
}

POLICY_EQUAL(policy_equal_strings)
{
	const struct strings *x = a, *y = b;

	for (size_t i = 0; x->n == y->n && i < x->n; i++)
		if (!streq(x->items[i], y->items[i]))
			return false;
	return x->n == y->n;
}

POLICY_EQUAL(policy_equal_names)
{
	const struct policy_names *x = a, *y = b;

	return x->all == y->all && policy_equal_strings(&x->names, &y->names);
}

static bool has_pair(const struct policy_map *map,
		     const struct policy_pair *pair)
{
	for (size_t i = 0; i < map->n; i++)
		if (streq(map->items[i].key, pair->key))
			return streq(map->items[i].value, pair->value);
	return false;
}

/* Keys are unique: in any order. */
POLICY_EQUAL(policy_equal_map)
{
	const struct policy_map *x = a, *y = b;

	for (size_t i = 0; x->n == y->n && i < x->n; i++)
		if (!has_pair(y, &x->items[i]))
			return false;
	return x->n == y->n;
}

POLICY_EQUAL(policy_equal_numbers)
{
	const struct policy_numbers *x = a, *y = b;

	return x->n == y->n &&
	       (x->n == 0 ||
		memcmp(x->items, y->items, x->n * sizeof *x->items) == 0);
}

bool policy_equal(const struct policy *a, const struct policy *b)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		enum policy_type type = policy_key_info(key)->type;

		if (a->set[key] != b->set[key])
			return false;
		if (a->set[key] &&
		    !policy_type_info(type)->equal(policy_value(a, key),
						   policy_value(b, key)))
			return false;
	}
	return true;
}
