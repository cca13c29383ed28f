/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/key_table.h - the table of keys that the manual page must have. */
#pragma once

#include <inttypes.h>

#include "base/text.h"
#include "policy/keys.h"

/* Put "--filesystem-read" for "filesystem.read" after the shorter flags. */
static inline void put_flags_cell(struct text *out,
				  const struct policy_key_info *info)
{
	if (info->letter)
		text_put(out, "-%c, ", info->letter);
	if (info->flag)
		text_put(out, "--%s, ", info->flag);
	if (info->comma_flag)
		text_put(out, "--%s, ", info->comma_flag);
	text_put(out, "--");
	for (const char *p = info->name; *p; p++)
		text_put(out, "%c", *p == '.' || *p == '_' ? '-' : *p);
}

static inline void put_key_row(struct text *out,
			       const struct policy_key_info *info)
{
	static const char *const bundles[] = {
		[POLICY_BUNDLE_OK] = "yes",
		[POLICY_BUNDLE_ASK] = "if the operator allows it",
		[POLICY_BUNDLE_NEVER] = "no",
		[POLICY_BUNDLE_LATER] = "not yet",
	};

	text_put(out, "| `%s`", info->name);
	if (info->alias)
		text_put(out, ", `%s`", info->alias);
	text_put(out, " | %s", policy_type_info(info->type)->word);
	if (info->max && info->max < INT32_MAX)
		text_put(out, ", %" PRIu64 " to %" PRIu64, info->min,
			 info->max);
	text_put(out, " | %s | %s |\n", bundles[info->bundle], info->about);
}

static inline void put_flags_row(struct text *out,
				 const struct policy_key_info *info)
{
	text_put(out, "| `%s` | `", info->name);
	put_flags_cell(out, info);
	text_put(out, "` |\n");
}

/* Make the tables of the keys that work, and of their flags. */
static inline int key_table(struct arena *arena, const char **ret)
{
	struct text out = { .arena = arena };

	text_put(&out, "| key | value | in a bundle | meaning |\n"
		       "| --- | --- | --- | --- |\n");
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy_key_info(key)->enforced)
			put_key_row(&out, policy_key_info(key));
	text_put(&out, "\n| key | flags |\n"
		       "| --- | --- |\n");
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy_key_info(key)->enforced)
			put_flags_row(&out, policy_key_info(key));
	return text_close(&out, ret);
}
