/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/complete.c - parse an incomplete command line and print
 * candidates.
 */
#include "runtime/cli/complete.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/flag.h"
#include "base/util.h"
#include "runtime/cli/options.h"

#define MAX_TOKEN 32

struct walk {
	const struct completer *completer;
	const struct command *command; /* NULL: not seen yet */
	struct option_table table;     /* valid at the last word */
	struct flag_owner owner;
	struct completion completion;
	const char *first; /* argument of the command, or NULL */
	int nargs;	   /* arguments of the command so far */
	bool ended;	   /* no options from here on */
};

static bool is_printable(const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word < ' ' || *word == 0x7f)
			return false;
	return true;
}

void complete_with(const struct completion *c, const char *word,
		   const char *help)
{
	if (starts_with(word, c->begin) && is_printable(word))
		printf("%s\t%s\n", word, help);
}

/* ---- values ---- */

static void offer_value(const struct walk *walk, const char *value)
{
	static const struct {
		const char *value, *shell;
	} kinds[] = {
		{ "FILE", "file" },	  { "PATH", "file" },
		{ "DIR", "directory" },	  { "BUNDLE", "directory" },
		{ "COMMAND", "command" }, { "PROGRAM", "command" },
		{ "ARG", "file" },	  { "ARGUMENTS", "file" },
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (streq(kinds[i].value, value))
			printf(":%s\n", kinds[i].shell);
	walk->completer->offer(&walk->completion, value);
}

static void offer_option_value(struct walk *walk,
			       const struct option_word *option)
{
	if (!option->spec) {
		walk->completer->offer_owned_values(&walk->completion,
						    option->id);
		return;
	}
	walk->completion.option = option->spec->name;
	if (option->spec->kind == OPTION_FLAG) {
		complete_with(&walk->completion, "true", "");
		complete_with(&walk->completion, "false", "");
	} else if (option->spec->value) {
		offer_value(walk, option->spec->value);
	}
}

/* ---- arguments: "[options] ID [SIGNAL]", "list | show NAME" ---- */

/* Get the next token without brackets; skip "[options]" and "[--]". */
static const char *next_token(const char *at, char ret[MAX_TOKEN])
{
	size_t len;

	at += strspn(at, " ");
	while (at[0] == '[' && at[1] != '[' && !isupper((unsigned char)at[1])) {
		at += strcspn(at, "]");
		at += strspn(at, "] ");
	}
	at += strspn(at, "[");
	len = strcspn(at, " ].");
	snprintf(ret, MAX_TOKEN, "%.*s", (int)len, at);
	at += len;
	/* "ARG..." and "ARGUMENTS" match all further arguments. */
	if (starts_with(at, "...") || streq(ret, "ARGUMENTS"))
		return NULL;
	return at + strspn(at, "]");
}

static void offer_token(const struct walk *walk, const char *token)
{
	if (isupper((unsigned char)token[0]))
		offer_value(walk, token);
	else if (token[0])
		complete_with(&walk->completion, token, "");
}

/*
 * Offer one alternative; with verbs, its first token must be the first
 * argument.
 */
static void offer_alternative(const struct walk *walk, const char *at)
{
	char token[MAX_TOKEN];

	for (int i = 0; *at && *at != '|'; i++) {
		const char *rest = next_token(at, token);

		if (i == walk->nargs || !rest) {
			offer_token(walk, token);
			return;
		}
		if (i == 0 && islower((unsigned char)token[0]) &&
		    !streq(token, walk->first))
			return;
		at = rest + strspn(rest, " ");
	}
}

static void offer_arguments(struct walk *walk)
{
	const char *at = walk->command->arguments;

	walk->completion.verb = walk->nargs == 1 ? walk->first : NULL;
	while (at) {
		offer_alternative(walk, at);
		at = strchr(at, '|');
		at = at ? at + 1 + strspn(at + 1, " ") : NULL;
	}
}

/* ---- words ---- */

static void offer_options(const struct walk *walk)
{
	static const struct option_spec help = { .name = "help",
						 .letter = 'h',
						 .help = "print help" };
	const struct option_table *table = &walk->table;

	for (size_t i = 0; i <= table->n; i++) {
		const struct option_spec *spec =
			i < table->n ? &table->items[i] : &help;
		char word[64];

		if (spec->letter) {
			snprintf(word, sizeof word, "-%c", spec->letter);
			complete_with(&walk->completion, word, spec->help);
		}
		snprintf(word, sizeof word, "--%s", spec->name);
		complete_with(&walk->completion, word, spec->help);
	}
	if (table->owner)
		walk->completer->offer_owned(&walk->completion);
}

static void offer_commands(const struct walk *walk)
{
	const struct command_set *program = walk->completer->program;

	for (size_t i = 0; i < program->ncommands; i++)
		complete_with(&walk->completion, program->commands[i]->name,
			      program->commands[i]->help);
}

static void enter_command(struct walk *walk, const char *name)
{
	const struct command_set *program = walk->completer->program;

	walk->ended = true;
	for (size_t i = 0; i < program->ncommands; i++) {
		const struct command *command = program->commands[i];

		if (!streq(command->name, name))
			continue;
		walk->command = command;
		walk->ended = false;
		walk->owner.find = walk->completer->find_owned;
		walk->table = (struct option_table){
			.items = command->options,
			.n = command->noptions,
			.stop_at_args = command->stop_at_args ||
					command->own_words,
			.letters = command->own_words,
			.owner = command->own_words ? &walk->owner : NULL,
		};
	}
	walk->completion.command = name;
}

static void pass_argument(struct walk *walk, const char *word)
{
	if (!walk->completion.command) {
		enter_command(walk, word);
		return;
	}
	if (walk->nargs++ == 0)
		walk->first = word;
	walk->ended = walk->ended || walk->table.stop_at_args;
}

/*
 * Process a word before the last; return how many words it uses with its value.
 */
static int pass(struct walk *walk, const char *word, struct option_word *ret)
{
	if (walk->ended || word[0] != '-' || !word[1]) {
		pass_argument(walk, word);
		return 1;
	}
	if (streq(word, "--")) {
		walk->ended = walk->completion.command != NULL;
		return 1;
	}
	return options_find(&walk->table, word, ret) && !ret->is_switch &&
			       !ret->value ?
		       2 :
		       1;
}

static void offer_word(struct walk *walk, const char *word)
{
	struct option_word option;
	const char *equals = strchr(word, '=');

	walk->completion.begin = word;
	if (!walk->ended && word[0] == '-' && word[1] == '-' && equals) {
		walk->completion.begin = equals + 1;
		if (options_find(&walk->table, word, &option))
			offer_option_value(walk, &option);
		return;
	}
	if (!walk->ended && word[0] == '-')
		offer_options(walk);
	else if (!walk->completion.command)
		offer_commands(walk);
	else if (walk->command)
		offer_arguments(walk);
}

void complete(const struct completer *completer, int argc, char **argv)
{
	struct walk walk = {
		.completer = completer,
		.table = *completer->program->options,
		.completion.user = completer->user,
	};
	int i = 0;

	if (argc < 1)
		return;
	while (i < argc - 1) {
		struct option_word option;

		i += pass(&walk, argv[i], &option);
		if (i == argc) {
			walk.completion.begin = argv[argc - 1];
			offer_option_value(&walk, &option);
			return;
		}
	}
	offer_word(&walk, argv[argc - 1]);
}
