/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/complete.h - candidates for the word that a shell completes, from the tables
 * of commands and options.
 *
 * A line for each: the candidate, a tab and its description; or ":file",
 * ":directory", ":command" or ":variable", which the shell finds itself. What
 * a value is tells the help: "FILE", "ID".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runtime/cli/dispatch.h"

struct completion {
	const char *begin; /* of every candidate; after the "=" of an option */
	/* For offer(): which command and option the value is for. */
	const char *command; /* NULL: before the command */
	const char *option;  /* NULL: an argument of the command */
	const char *verb;    /* the argument before it, or NULL */
	void *user;
};

struct completer {
	const struct command_set *program;
	/* Offer values that are called so in the help. */
	void (*offer)(const struct completion *c, const char *value);
	/* The options of commands with own_words, beside their tables. */
	int (*find_owned)(const char *name, size_t len, bool *ret_is_switch);
	void (*offer_owned)(const struct completion *c);
	void (*offer_owned_values)(const struct completion *c, int id);
	void *user;
};

/* Print one candidate, if it begins as it must. */
void complete_with(const struct completion *c, const char *word,
		   const char *help);
/* argv: the words after the program's name; the last one is completed. */
void complete(const struct completer *completer, int argc, char **argv);
