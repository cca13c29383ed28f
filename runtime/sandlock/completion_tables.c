/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/completion_tables.c - gather the flags of all tables, and what may follow. */
#include "runtime/sandlock/completion.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/presets.h"
#include "policy/syscalls.h"
#include "runtime/cli/dispatch.h"
#include "runtime/cli/options.h"
#include "runtime/sandlock/arguments.h"
#include "runtime/sandlock/profile_files.h"

void completion_quote(struct policy_text *out, const char *text)
{
	text_put(out, "'");
	for (; *text; text++)
		if (*text == '\'')
			text_put(out, "'\\''");
		else
			text_put(out, "%c", *text);
	text_put(out, "'");
}

static int add(struct arena *arena, struct completion_flags *list,
	       const struct completion_flag *flag)
{
	struct completion_flag *items;

	/* Twice as many whenever they are a power of two. */
	if ((list->n & (list->n - 1)) == 0) {
		items = arena_grow(arena, list->items, list->n, 2 * list->n + 1,
				   sizeof *items);
		if (!items)
			return -ENOMEM;
		list->items = items;
	}
	list->items[list->n++] = *flag;
	return 0;
}

/* ---- words ---- */

/* "@system @home" */
static const char *preset_words(struct arena *arena,
				const char *(*name_of)(size_t index))
{
	const char *words = "", *name;

	for (size_t i = 0; words && (name = name_of(i)); i++)
		words = arena_printf(arena, "%s%s@%s", words, i ? " " : "",
				     name);
	return words;
}

static const char *joined(struct arena *arena, const char *const *names,
			  size_t n)
{
	const char *words = "";

	for (size_t i = 0; words && i < n; i++)
		words = arena_printf(arena, "%s%s%s", words, i ? " " : "",
				     names[i]);
	return words;
}

static const char *protection_words(struct arena *arena)
{
	const char *names[PROTECT_COUNT];

	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		names[i] = policy_protection_name(i);
	return joined(arena, names, PROTECT_COUNT);
}

static const char *group_words(struct arena *arena)
{
	const char *names[SYSCALLS_GROUPS];

	for (unsigned int i = 0; i < SYSCALLS_GROUPS; i++)
		names[i] = syscall_group_info(i)->name;
	return joined(arena, names, SYSCALLS_GROUPS);
}

/* "commit abort keep" of "commit, abort or keep" */
static const char *words_in(struct arena *arena, const char *text)
{
	const char *words = "";

	while (words && *text) {
		size_t len = strcspn(text, ", ");

		if (len && !(len == 2 && starts_with(text, "or")))
			words = arena_printf(arena, "%s%s%.*s", words,
					     *words ? " " : "", (int)len, text);
		text += len + (text[len] != '\0');
	}
	return words;
}

/* ---- keys of a policy ---- */

static int describe(struct arena *arena, enum policy_type type,
		    struct completion_flag *flag)
{
	flag->words = "";
	flag->kind = COMPLETE_ANYTHING;
	switch (type) {
	case POLICY_TYPE_BOOL:
		flag->kind = COMPLETE_SWITCH;
		break;
	case POLICY_TYPE_PATH:
	case POLICY_TYPE_PATHS:
		flag->kind = COMPLETE_FILE;
		break;
	case POLICY_TYPE_PATTERNS:
	case POLICY_TYPE_DENIALS:
		flag->kind = COMPLETE_FILE;
		flag->words = preset_words(arena, policy_path_preset_name);
		break;
	case POLICY_TYPE_WORD:
	case POLICY_TYPE_COMMANDS:
		flag->kind = COMPLETE_PROGRAM;
		break;
	case POLICY_TYPE_NAMES:
		flag->kind = COMPLETE_VARIABLE;
		flag->words = preset_words(arena, policy_env_preset_name);
		break;
	case POLICY_TYPE_BRANCH:
	case POLICY_TYPE_MODE:
		flag->kind = COMPLETE_WORDS;
		flag->words = words_in(arena, policy_type_info(type)->word);
		break;
	case POLICY_TYPE_GROUPS:
	case POLICY_TYPE_CALLS:
		flag->kind = COMPLETE_WORDS;
		flag->words = group_words(arena);
		break;
	case POLICY_TYPE_PROTECTIONS:
		flag->kind = COMPLETE_WORDS;
		flag->words = protection_words(arena);
		break;
	default:
		break;
	}
	return flag->words ? 0 : -ENOMEM;
}

static char *dashed(struct arena *arena, const char *name)
{
	char *text = arena_strdup(arena, name);

	for (char *at = text; at && *at; at++)
		if (*at == '.' || *at == '_')
			*at = '-';
	return text;
}

static int add_key(struct arena *arena, enum policy_key key,
		   struct completion_flags *list)
{
	const struct policy_key_info *info = policy_key_info(key);
	struct completion_flag flag = { .help = info->about };
	const char *const spelled[] = { info->comma_flag, info->flag };
	const char *const named[] = { info->name, info->alias };
	int r = describe(arena, info->type, &flag);

	flag.letter = info->letter;
	for (size_t i = 0; r >= 0 && i < COUNT(spelled); i++) {
		if (!spelled[i])
			continue;
		flag.name = spelled[i];
		/* --allow-net is a switch, --network-mode is not. */
		if (key == KEY_NET_MODE && spelled[i] == info->comma_flag)
			flag.kind = COMPLETE_SWITCH;
		r = add(arena, list, &flag);
		flag.letter = 0;
	}
	if (r >= 0)
		r = describe(arena, info->type, &flag);
	for (size_t i = 0; r >= 0 && i < COUNT(named) && named[i]; i++) {
		flag.name = dashed(arena, named[i]);
		r = flag.name ? add(arena, list, &flag) : -ENOMEM;
		flag.letter = 0;
	}
	return r;
}

/* ---- other tables ---- */

static enum completion_kind kind_of(const struct option_spec *spec)
{
	static const struct {
		const char *value;
		enum completion_kind kind;
	} kinds[] = { { "DIR", COMPLETE_FOLDER }, { "FILE", COMPLETE_FILE } };

	if (spec->kind == OPTION_FLAG)
		return COMPLETE_SWITCH;
	if (streq(spec->name, "profile"))
		return COMPLETE_PROFILE;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (spec->value && streq(spec->value, kinds[i].value))
			return kinds[i].kind;
	return COMPLETE_ANYTHING;
}

static int add_options(struct arena *arena, const struct option_spec *items,
		       size_t n, struct completion_flags *list)
{
	bool has_help = false;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		has_help = has_help || streq(items[i].name, "help");
		r = add(arena, list,
			&(struct completion_flag){ .letter = items[i].letter,
						   .name = items[i].name,
						   .kind = kind_of(&items[i]),
						   .words = "",
						   .help = items[i].help });
	}
	if (r < 0 || has_help)
		return r;
	return add(arena, list,
		   &(struct completion_flag){ .letter = 'h',
					      .name = "help",
					      .words = "",
					      .help = "print this text" });
}

static int describe_words(struct arena *arena,
			  struct completion_command *command)
{
	const char *verbs[8];

	command->words = "";
	if (streq(command->name, "kill") || streq(command->name, "inspect"))
		command->first = COMPLETE_SANDBOX;
	if (streq(command->name, "completion")) {
		command->first = COMPLETE_WORDS;
		command->words = "bash zsh fish";
	}
	if (streq(command->name, "profile")) {
		command->first = COMPLETE_WORDS;
		for (size_t i = 0; i < profile_nverbs; i++)
			verbs[i] = profile_verbs[i].name;
		command->words = joined(arena, verbs, profile_nverbs);
	}
	return command->words ? 0 : -ENOMEM;
}

int completion_is_request(const struct completion_command *command)
{
	return command->flags.n == 0;
}

static int add_command(struct arena *arena, const struct command *command,
		       struct completion *ret)
{
	struct completion_command *to = &ret->commands[ret->n++];
	int r = 0;

	to->name = command->name;
	to->help = command->help;
	if (!command->own_words)
		r = add_options(arena, command->options, command->noptions,
				&to->flags);
	return r < 0 ? r : describe_words(arena, to);
}

int completion_collect(struct arena *arena, const struct command_set *set,
		       struct completion *ret)
{
	struct completion all = {
		.commands = arena_array(arena, set->ncommands,
					sizeof *all.commands),
	};
	int r;

	if (!all.commands)
		return -ENOMEM;
	r = add_options(arena, set->options->items, set->options->n,
			&all.flags);
	if (r >= 0)
		r = add_options(arena, arguments_options, arguments_noptions,
				&all.request);
	for (enum policy_key key = 0; r >= 0 && key < KEY_COUNT; key++)
		r = add_key(arena, key, &all.request);
	for (size_t i = 0; r >= 0 && i < set->ncommands; i++)
		r = add_command(arena, set->commands[i], &all);
	if (r < 0)
		return r;
	*ret = all;
	return 0;
}
