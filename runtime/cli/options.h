/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/options.h - command line words into an options struct and positionals. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runtime/cli/command.h"

struct arena;
struct flag_owner;

struct option_table {
	const char *program; /* for errors; NULL: sandlock-oci */
	const char *command; /* for errors; NULL: the program itself */
	const struct option_spec *items;
	size_t n;
	bool stop_at_args; /* the first positional ends our options */
	/*
	 * Single dashes are for letters: "-it" is "-i -t", "-rDIR" of the owner
	 * is "-r DIR". "--" is no value. Otherwise "-name" is "--name".
	 */
	bool letters;
	const struct flag_owner *owner; /* of more options; NULL: none */
};

/* What a word stands for: a line of the table, or the owner's id. */
struct option_word {
	const struct option_spec *spec; /* NULL: the owner's */
	int id;
	size_t len; /* of its name, with the dashes */
	bool is_switch;
	const char *value; /* in the same word; NULL: none */
};

struct arguments {
	int argc;
	char **argv; /* positionals; argv[argc] is NULL */
	bool help;   /* --help or -h: the rest was not looked at */
};

/*
 * Fill the struct that the table's offsets point into, and give the owner's
 * options to it. Values follow as the next word or after "=", "--" ends the
 * options. Pure: nothing but the arena is touched.
 */
int options_parse(struct arena *arena, const struct option_table *table,
		  int argc, char **argv, void *options, struct arguments *ret);
/* Look up a word that begins with "-"; false: no such option. */
bool options_find(const struct option_table *table, const char *text,
		  struct option_word *ret);
