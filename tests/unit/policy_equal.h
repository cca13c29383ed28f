/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/policy_equal.h - whether two policies say the same. */
#pragma once

#include <string.h>

#include "base/util.h"
#include "policy/keys.h"

static inline bool equal_bool(const void *a, const void *b)
{
	return *(const bool *)a == *(const bool *)b;
}

static inline bool equal_u32(const void *a, const void *b)
{
	return *(const uint32_t *)a == *(const uint32_t *)b;
}

static inline bool equal_u64(const void *a, const void *b)
{
	return *(const uint64_t *)a == *(const uint64_t *)b;
}

static inline bool equal_branch(const void *a, const void *b)
{
	return *(const enum policy_branch *)a == *(const enum policy_branch *)b;
}

static inline bool equal_mode(const void *a, const void *b)
{
	return *(const enum policy_mode *)a == *(const enum policy_mode *)b;
}

static inline bool equal_time(const void *a, const void *b)
{
	const struct policy_time *x = a, *y = b;

	return x->seconds == y->seconds && x->nanoseconds == y->nanoseconds;
}

static inline bool equal_text(const void *a, const void *b)
{
	return streq(*(const char *const *)a, *(const char *const *)b);
}

static inline bool equal_strings(const void *a, const void *b)
{
	const struct strings *x = a, *y = b;

	for (size_t i = 0; x->n == y->n && i < x->n; i++)
		if (!streq(x->items[i], y->items[i]))
			return false;
	return x->n == y->n;
}

static inline bool equal_names(const void *a, const void *b)
{
	const struct policy_names *x = a, *y = b;

	return x->all == y->all && equal_strings(&x->names, &y->names);
}

static inline bool has_pair(const struct policy_map *map,
			    const struct policy_pair *pair)
{
	for (size_t i = 0; i < map->n; i++)
		if (streq(map->items[i].key, pair->key))
			return streq(map->items[i].value, pair->value);
	return false;
}

/* Keys are unique: in any order. */
static inline bool equal_map(const void *a, const void *b)
{
	const struct policy_map *x = a, *y = b;

	for (size_t i = 0; x->n == y->n && i < x->n; i++)
		if (!has_pair(y, &x->items[i]))
			return false;
	return x->n == y->n;
}

static inline bool equal_numbers(const void *a, const void *b)
{
	const struct policy_numbers *x = a, *y = b;

	return x->n == y->n &&
	       (x->n == 0 ||
		memcmp(x->items, y->items, x->n * sizeof *x->items) == 0);
}

static inline bool has_mount(const struct policy_mounts *mounts,
			     const struct policy_mount *mount)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const struct policy_mount *m = &mounts->items[i];

		if (streq(m->inside, mount->inside))
			return streq(m->host, mount->host) &&
			       m->readonly == mount->readonly &&
			       m->optional == mount->optional;
	}
	return false;
}

/* Each path inside is unique, so the order does not matter. */
static inline bool equal_mounts(const void *a, const void *b)
{
	const struct policy_mounts *x = a, *y = b;

	for (size_t i = 0; x->n == y->n && i < x->n; i++)
		if (!has_mount(y, &x->items[i]))
			return false;
	return x->n == y->n;
}

static inline bool policy_equal_key(const struct policy *a,
				    const struct policy *b, enum policy_key key)
{
	static bool (*const equal[POLICY_TYPES])(const void *a,
						 const void *b) = {
		[POLICY_TYPE_BOOL] = equal_bool,
		[POLICY_TYPE_NUMBER] = equal_u32,
		[POLICY_TYPE_SEED] = equal_u64,
		[POLICY_TYPE_SIZE] = equal_u64,
		[POLICY_TYPE_TIME] = equal_time,
		[POLICY_TYPE_WORD] = equal_text,
		[POLICY_TYPE_PATH] = equal_text,
		[POLICY_TYPE_NAMES] = equal_names,
		[POLICY_TYPE_ENV] = equal_map,
		[POLICY_TYPE_MOUNTS] = equal_mounts,
		[POLICY_TYPE_CREDENTIALS] = equal_map,
		[POLICY_TYPE_BRANCH] = equal_branch,
		[POLICY_TYPE_MODE] = equal_mode,
		[POLICY_TYPE_NUMBERS] = equal_numbers,
		[POLICY_TYPE_PROTECTIONS] = equal_u32,
	};
	enum policy_type type = policy_key_info(key)->type;

	if (a->set[key] != b->set[key])
		return false;
	/* All other types are lists of strings. */
	return !a->set[key] ||
	       (equal[type] ? equal[type] :
			      equal_strings)(policy_value(a, key),
					     policy_value(b, key));
}

static inline bool policy_equal(const struct policy *a, const struct policy *b)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (!policy_equal_key(a, b, key))
			return false;
	return true;
}
