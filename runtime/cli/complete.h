/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/complete.h - candidates for the word that a shell completes, from
 * the tables of commands and options.
 *
 * Each candidate is a line: the word, a tab and its description; or ":file",
 * ":directory", ":command" or ":variable", which the shell completes itself.
 * The help says what a value is: "FILE", "ID".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runtime/cli/dispatch.h"

struct completion {
	const char *begin; /* prefix of candidates; after "=" of an option */
	/* For offer(): which command and option the value is for. */
	const char *command; /* NULL: before the command */
	const char *option;  /* NULL: an argument of the command */
	const char *verb;    /* the argument before it, or NULL */
	void *user;
};

struct completer {
	const struct command_set *program;
	/* Offer the values that the help calls `value`. */
	void (*offer)(const struct completion *c, const char *value);
	/* The options of commands with own_words, beside their tables. */
	int (*find_owned)(const char *name, size_t len, bool *ret_is_switch);
	void (*offer_owned)(const struct completion *c);
	void (*offer_owned_values)(const struct completion *c, int id);
	void *user;
};

/* Print a candidate if it has the prefix. */
void complete_with(const struct completion *c, const char *word,
		   const char *help);
/* Print candidates for the last of argv, the words after the program's name. */
void complete(const struct completer *completer, int argc, char **argv);
