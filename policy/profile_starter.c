/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_starter.c - write a first profile from the table of keys. */
#include "policy/profile_starter.h"

#include <string.h>

#include "base/text.h"
#include "policy/keys.h"
#include "policy/profile_builtin.h"

static void put_key(struct text *out, enum policy_key key)
{
	const struct policy_key_info *info = policy_key_info(key);
	const char *name = strchr(info->name, '.') + 1;

	text_put(out, "\n# %s (%s)\n", info->about,
		 policy_type_info(info->type)->word);
	if (key == KEY_READ)
		text_put(out, "%s = [\"@system\"]\n", name);
	else if (key == KEY_DENY_WRITE)
		text_put(out, "#%s = [\"@git-hooks\", \"@git-config\"]\n",
			 name);
	else
		text_put(out, "#%s =\n", name);
}

static void put_head(struct text *out, const char *name)
{
	text_put(out,
		 "# %s.toml - a profile of sandlock. Everything it does not "
		 "allow is denied.\n#\n#   sandlock run -p %s -- COMMAND     "
		 "runs a command with it\n#   sandlock explain -p %s           "
		 " shows what it means on this host\n#\n",
		 name, name, name);
}

int profile_starter(struct arena *arena, const char *name, const char **ret)
{
	struct text out = { .arena = arena };
	enum policy_section section = SECTION_COUNT;

	put_head(&out, name);
	text_put(&out, "# Remove a `#` and set a value; sandlock(1) lists all "
		       "keys.\n");
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (!info->enforced)
			continue;
		if (info->section != section)
			text_put(&out, "\n[%s]\n",
				 policy_section_name(info->section));
		section = info->section;
		put_key(&out, key);
	}
	return text_close(&out, ret);
}

int profile_starter_for(struct arena *arena, const char *name,
			const struct profile_builtin *kind, const char **ret)
{
	struct text out = { .arena = arena };

	put_head(&out, name);
	text_put(&out, "%s", kind->text);
	return text_close(&out, ret);
}
