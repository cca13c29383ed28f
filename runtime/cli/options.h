/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/options.h - parse arguments into an options struct and
 * positionals.
 */
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
	bool stop_at_args; /* the first positional ends the options */
	/*
	 * A single dash is for letters: "-it" is "-i -t", and "-rDIR" of the
	 * owner is "-r DIR". "--" is not a value. If false, "-name" is
	 * "--name".
	 */
	bool letters;
	const struct flag_owner *owner; /* has more options; NULL: none */
};

/*
 * The option that an argument names: an entry of the table, or the owner's id.
 */
struct option_word {
	const struct option_spec *spec; /* NULL: an option of the owner */
	int id;
	size_t len; /* of its name, with the dashes */
	bool is_switch;
	const char *value; /* in the same argument; NULL: none */
};

struct arguments {
	int argc;
	char **argv; /* positionals; argv[argc] is NULL */
	bool help;   /* --help or -h: the rest was not parsed */
};

/*
 * Fill in the struct that the table describes, and pass options of the owner to
 * it. A value is the next argument or follows "="; "--" ends the options. Only
 * the arena is changed.
 */
int options_parse(struct arena *arena, const struct option_table *table,
		  int argc, char **argv, void *options, struct arguments *ret);
/* Look up an argument that begins with "-"; false: no such option. */
bool options_find(const struct option_table *table, const char *text,
		  struct option_word *ret);
