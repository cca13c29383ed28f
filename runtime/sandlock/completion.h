/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/completion.h - the tables of the command line, as shells want them.
 *
 * What may follow a flag is one of a few kinds; a script has one way for each.
 */
#pragma once

#include <stddef.h>

struct arena;
struct command_set;
struct policy_text;

enum completion_kind {
	COMPLETE_SWITCH,   /* nothing follows */
	COMPLETE_ANYTHING, /* nobody knows what */
	COMPLETE_FILE,
	COMPLETE_FOLDER,
	COMPLETE_PROGRAM,
	COMPLETE_VARIABLE,
	COMPLETE_PROFILE, /* its name */
	COMPLETE_SANDBOX, /* its name */
	COMPLETE_WORDS,	  /* one of these */
};

struct completion_flag {
	char letter;	  /* 0: none */
	const char *name; /* without "--" */
	enum completion_kind kind;
	const char *words; /* for WORDS; beside it for FILE, VARIABLE */
	const char *help;
};

struct completion_flags {
	struct completion_flag *items;
	size_t n;
};

/* What a command's words may be. */
struct completion_command {
	const char *name;
	const char *help;
	struct completion_flags flags;
	enum completion_kind first; /* SWITCH: it takes no words */
	const char *words;
};

struct completion {
	struct completion_flags flags;	 /* before the command */
	struct completion_flags request; /* of run, explain and wrap */
	struct completion_command *commands;
	size_t n;
};

int completion_collect(struct arena *arena, const struct command_set *set,
		       struct completion *ret);
/* Whether its words are a request's, and then a command of others. */
int completion_is_request(const struct completion_command *command);

void completion_bash(const struct completion *all, struct policy_text *out);
void completion_zsh(const struct completion *all, struct policy_text *out);
void completion_fish(const struct completion *all, struct policy_text *out);
/* In single quotes, for all three. */
void completion_quote(struct policy_text *out, const char *text);
