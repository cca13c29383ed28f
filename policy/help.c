/* SPDX-License-Identifier: Apache-2.0 */
/* policy/help.c - print the keys for --help. */
#include <inttypes.h>

#include "base/text.h"
#include "policy/keys.h"

/* Put "--filesystem-read" for "filesystem.read". */
static void put_long_flag(struct text *out, const char *name)
{
	text_put(out, "--");
	for (; *name; name++)
		text_put(out, "%c", *name == '.' || *name == '_' ? '-' : *name);
}

static void put_flags(struct text *out, const struct policy_key_info *info)
{
	if (info->letter)
		text_put(out, "-%c, ", info->letter);
	if (info->flag)
		text_put(out, "--%s, ", info->flag);
	if (info->comma_flag)
		text_put(out, "--%s, ", info->comma_flag);
	put_long_flag(out, info->name);
}

static void put_type(struct text *out, const struct policy_key_info *info)
{
	text_put(out, "%s", policy_type_info(info->type)->word);
	if (info->max && info->max < INT32_MAX)
		text_put(out, ", %" PRIu64 " to %" PRIu64, info->min,
			 info->max);
}

static void put_help(struct text *out, const struct policy_key_info *info)
{
	text_put(out, "  ");
	put_flags(out, info);
	text_put(out, "\n      %s", info->about);
	if (info->type != POLICY_TYPE_BOOL) {
		text_put(out, " (");
		put_type(out, info);
		text_put(out, ")");
	}
	text_put(out, "\n");
}

static int help(struct arena *arena, bool live, const char **ret)
{
	struct text out = { .arena = arena };
	enum policy_section section = SECTION_COUNT;

	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (!info->enforced || (live && !policy_is_live(key)))
			continue;
		if (info->section != section)
			text_put(&out, "%s[%s]\n", out.len ? "\n" : "",
				 policy_section_name(info->section));
		section = info->section;
		put_help(&out, info);
	}
	return text_close(&out, ret);
}

int policy_help(struct arena *arena, const char **ret)
{
	return help(arena, /* live= */ false, ret);
}

int policy_help_live(struct arena *arena, const char **ret)
{
	return help(arena, /* live= */ true, ret);
}
