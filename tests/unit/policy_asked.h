/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/policy_asked.h - the keys that annotations may set only if the operator allows it. */
#pragma once

#include <errno.h>

#include "base/arena.h"
#include "policy/keys.h"

static inline int policy_asked_keys(struct arena *arena, struct strings *ret)
{
	const char **items = arena_array(arena, KEY_COUNT + 1, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy_key_info(key)->bundle == POLICY_BUNDLE_ASK)
			items[n++] = policy_key_name(key);
	*ret = (struct strings){ .items = items, .n = n };
	return 0;
}
