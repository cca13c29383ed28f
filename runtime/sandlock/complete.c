/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/complete.c - offer flags of a policy, profiles and sandboxes
 * for completion.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/strings.h"
#include "base/util.h"
#include "cow/branch.h"
#include "policy/keys.h"
#include "policy/presets.h"
#include "policy/profile_builtin.h"
#include "policy/syscalls.h"
#include "runtime/cli/complete.h"
#include "runtime/container/container.h"
#include "runtime/sandbox/name.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/completion.h"
#include "runtime/sandlock/profile_files.h"

static struct arena *arena_of(const struct completion *c)
{
	return ((const struct session *)c->user)->arena;
}

/* ---- flags of a policy ---- */

static void offer_flag(const struct completion *c, const char *name,
		       const char *help)
{
	char *flag = arena_printf(arena_of(c), "--%s", name);

	for (char *at = flag; at && *at; at++)
		if (*at == '.' || *at == '_')
			*at = '-';
	if (flag)
		complete_with(c, flag, help);
}

static void offer_flags(const struct completion *c)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);
		const char *const names[] = { info->comma_flag, info->flag,
					      info->name, info->alias };
		const char letter[] = { '-', info->letter, '\0' };

		if (!info->enforced)
			continue;
		if (info->letter)
			complete_with(c, letter, info->about);
		for (size_t i = 0; i < COUNT(names); i++)
			if (names[i])
				offer_flag(c, names[i], info->about);
	}
}

static void offer_presets(const struct completion *c,
			  const char *(*name_of)(size_t index))
{
	const char *name;

	for (size_t i = 0; (name = name_of(i)); i++) {
		const char *word = arena_printf(arena_of(c), "@%s", name);

		if (word)
			complete_with(c, word, "preset");
	}
}

static void offer_names(const struct completion *c, const char *(*name)(int i),
			int n)
{
	for (int i = 0; i < n; i++)
		complete_with(c, name(i), "");
}

static const char *protection_name(int i)
{
	return policy_protection_name((enum policy_protection)i);
}

static const char *group_name(int i)
{
	return syscall_group_info((enum syscall_group)i)->name;
}

/* Offer "commit", "abort", "keep" of "commit, abort or keep". */
static void offer_listed(const struct completion *c, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, ", ");
		const char *word = arena_strndup(arena_of(c), text, len);

		if (word && len && !streq(word, "or"))
			complete_with(c, word, "");
		text += len + (text[len] != '\0');
	}
}

static void offer_flag_values(const struct completion *c, int id)
{
	enum policy_type type = policy_flag_type(id);

	switch (type) {
	case POLICY_TYPE_PATH:
	case POLICY_TYPE_PATHS:
	case POLICY_TYPE_DIRS:
		puts(":file");
		break;
	case POLICY_TYPE_PATTERNS:
	case POLICY_TYPE_DENIALS:
		puts(":file");
		offer_presets(c, policy_path_preset_name);
		break;
	case POLICY_TYPE_WORD:
	case POLICY_TYPE_COMMANDS:
		puts(":command");
		break;
	case POLICY_TYPE_NAMES:
		puts(":variable");
		offer_presets(c, policy_env_preset_name);
		break;
	case POLICY_TYPE_BOOL:
	case POLICY_TYPE_BRANCH:
	case POLICY_TYPE_MODE:
		offer_listed(c, policy_type_info(type)->word);
		break;
	case POLICY_TYPE_GROUPS:
	case POLICY_TYPE_CALLS:
		offer_names(c, group_name, SYSCALLS_GROUPS);
		break;
	case POLICY_TYPE_PROTECTIONS:
		offer_names(c, protection_name, PROTECT_COUNT);
		break;
	default:
		break;
	}
}

/* ---- names ---- */

static void offer_profiles(const struct completion *c)
{
	struct profile_list profiles;

	if (profile_list(arena_of(c), &profiles) < 0)
		return;
	for (size_t i = 0; i < profiles.n; i++)
		complete_with(c, profiles.items[i].name,
			      profiles.items[i].path ?
				      profiles.items[i].path :
				      profiles.items[i].origin);
}

static void offer_sandboxes(const struct completion *c)
{
	const struct session *session = c->user;
	struct strings ids = { 0 };
	const char *name;

	if (container_ids(session->arena, session->root, &ids) < 0)
		return;
	for (size_t i = 0; i < ids.n; i++)
		if (sandbox_name_from_id(session->arena, ids.items[i], &name) >=
		    0)
			complete_with(c, name, "sandbox");
}

static void offer_branches(const struct completion *c)
{
	struct strings names;

	if (branch_list(arena_of(c), &names) < 0)
		return;
	for (size_t i = 0; i < names.n; i++)
		complete_with(c, names.items[i], "branch");
}

static void offer(const struct completion *c, const char *value)
{
	if (streq(value, "KIND"))
		for (size_t i = 0; profile_builtins[i].name; i++)
			complete_with(c, profile_builtins[i].name, "");
	if (!streq(value, "NAME"))
		return;
	if (c->command && streq(c->command, "branch")) {
		offer_branches(c);
	} else if (c->option && (streq(c->option, "profile") ||
				 streq(c->option, "enforce"))) {
		offer_profiles(c);
		/* A name with a slash is a file. */
		if (strchr(c->begin, '/'))
			puts(":file");
	} else if (!c->option && c->verb && streq(c->verb, "show")) {
		offer_profiles(c);
	} else if (!c->option && !c->verb) {
		offer_sandboxes(c);
	}
}

void sandlock_complete(const struct session *session, int argc, char **argv)
{
	const struct completer completer = {
		.program = &sandlock_commands,
		.offer = offer,
		.find_owned = policy_flag_find,
		.offer_owned = offer_flags,
		.offer_owned_values = offer_flag_values,
		.user = (void *)session,
	};

	complete(&completer, argc, argv);
}
