/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/completion_fish.c - a script for fish. */
#include "base/text.h"
#include "base/util.h"
#include "runtime/sandlock/completion.h"

static void put_quoted(struct policy_text *out, const char *text)
{
	text_put(out, "'");
	for (; *text; text++)
		text_put(out, "%s%c",
			 *text == '\'' || *text == '\\' ? "\\" : "", *text);
	text_put(out, "'");
}

static void put_way(const struct completion_flag *flag, struct policy_text *out)
{
	static const char *const ways[] = {
		[COMPLETE_SWITCH] = "-f",
		[COMPLETE_ANYTHING] = "-x",
		[COMPLETE_FILE] = "-r -F",
		[COMPLETE_FOLDER] = "-x -a '(__fish_complete_directories)'",
		[COMPLETE_PROGRAM] = "-x -a '(__fish_complete_command)'",
		[COMPLETE_VARIABLE] = "-x -a '(set --names --export)'",
		[COMPLETE_PROFILE] = "-r -F -a '(__sandlock_profiles)'",
		[COMPLETE_SANDBOX] = "-x -a '(__sandlock_sandboxes)'",
		[COMPLETE_WORDS] = "-x",
	};

	text_put(out, " %s", ways[flag->kind]);
	if (*flag->words) {
		text_put(out, " -a ");
		put_quoted(out, flag->words);
	}
}

static void put_flags(const char *when, const struct completion_flags *flags,
		      struct policy_text *out)
{
	for (size_t i = 0; i < flags->n; i++) {
		const struct completion_flag *flag = &flags->items[i];

		text_put(out, "complete -c sandlock -n ");
		put_quoted(out, when);
		if (flag->letter)
			text_put(out, " -s %c", flag->letter);
		text_put(out, " -l %s", flag->name);
		put_way(flag, out);
		text_put(out, " -d ");
		put_quoted(out, flag->help);
		text_put(out, "\n");
	}
}

/* "__fish_seen_subcommand_from NAME" */
static void put_words(const struct completion_command *command,
		      struct policy_text *out)
{
	const char *name = command->name;

	if (completion_is_request(command))
		text_put(out,
			 "complete -c sandlock -n "
			 "'__fish_seen_subcommand_from %s' -x -a "
			 "'(__fish_complete_subcommand)'\n",
			 name);
	else if (command->first == COMPLETE_SANDBOX)
		text_put(out,
			 "complete -c sandlock -n "
			 "'__fish_seen_subcommand_from %s' -x -a "
			 "'(__sandlock_sandboxes)'\n",
			 name);
	else if (command->first == COMPLETE_WORDS)
		text_put(out,
			 "complete -c sandlock -n "
			 "'__fish_seen_subcommand_from %s; and not "
			 "__fish_seen_subcommand_from %s' -x -a '%s'\n",
			 name, command->words, command->words);
	if (streq(name, "profile"))
		text_put(out, "complete -c sandlock -n "
			      "'__fish_seen_subcommand_from show' -x -a "
			      "'(__sandlock_profiles)'\n"
			      "complete -c sandlock -n "
			      "'__fish_seen_subcommand_from validate' -r -F\n");
}

static const char before[] =
	"# fish completion for sandlock, by `sandlock completion fish`\n"
	"\n"
	"function __sandlock_profiles\n"
	"\tsandlock profile list 2>/dev/null | string replace -r ' .*' ''\n"
	"end\n"
	"\n"
	"function __sandlock_sandboxes\n"
	"\tsandlock ps 2>/dev/null | tail -n +2 | "
	"string replace -r ' .*' ''\n"
	"end\n"
	"\n"
	"complete -c sandlock -f\n";

static void put_command(struct arena *arena, const struct completion *all,
			const struct completion_command *command,
			struct policy_text *out)
{
	struct policy_text when = { .arena = arena };
	const char *text;

	text_put(out, "complete -c sandlock -n __fish_use_subcommand -a %s -d ",
		 command->name);
	put_quoted(out, command->help);
	text_put(out, "\n");
	text_put(&when, "__fish_seen_subcommand_from %s", command->name);
	if (text_close(&when, &text) < 0) {
		out->error = when.error;
		return;
	}
	put_flags(text,
		  completion_is_request(command) ? &all->request :
						   &command->flags,
		  out);
	put_words(command, out);
}

void completion_fish(const struct completion *all, struct policy_text *out)
{
	text_put(out, "%s", before);
	put_flags("__fish_use_subcommand", &all->flags, out);
	for (size_t i = 0; i < all->n; i++)
		put_command(out->arena, all, &all->commands[i], out);
}
