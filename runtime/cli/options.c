/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/options.c - parse the command line by tables of options. */
#include "runtime/cli/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/flag.h"
#include "base/nearest.h"
#include "base/num.h"
#include "base/util.h"
#include "oci/oci.h"

/*
 * An option on the command line: "--pid-file=x" is name "pid-file", value "x".
 */
struct word {
	const char *text;
	const char *name;
	size_t name_len;
	const char *value; /* NULL: no "=" */
};

static bool is_option(const char *text)
{
	return text[0] == '-' && text[1] != '\0';
}

static struct word split(const char *text)
{
	const char *name = text + (text[1] == '-' ? 2 : 1);
	const char *equals = strchr(name, '=');

	return (struct word){
		.text = text,
		.name = name,
		.name_len = equals ? (size_t)(equals - name) : strlen(name),
		.value = equals ? equals + 1 : NULL,
	};
}

static size_t shown_len(const struct word *word)
{
	return (size_t)(word->name - word->text) + word->name_len;
}

static bool has_one_dash(const struct word *word)
{
	return word->name == word->text + 1;
}

static bool is_named(const struct word *word, const char *name, char letter)
{
	if (word->name_len == 1 && has_one_dash(word))
		return letter && word->name[0] == letter;
	return strlen(name) == word->name_len &&
	       memcmp(word->name, name, word->name_len) == 0;
}

static int unknown_option(const struct option_table *table,
			  const struct word *word)
{
	const char *command = table->command ? table->command : "";
	struct nearest near = nearest_to(word->name, word->name_len);
	char shown[NEAREST_MAX];
	const char *meant;

	for (size_t i = 0; i < table->n; i++) {
		snprintf(shown, sizeof shown, "--%s", table->items[i].name);
		nearest_try(&near, table->items[i].name, shown);
	}
	if (table->owner && table->owner->suggest)
		table->owner->suggest(&near);
	meant = has_one_dash(word) ? NULL : nearest_found(&near);
	return fail(0, "unknown option %.*s, see %s %s%s--help%s%s%s",
		    (int)shown_len(word), word->text,
		    table->program ? table->program : "sandlock-oci", command,
		    *command ? " " : "", meant ? " (did you mean " : "",
		    meant ? meant : "", meant ? "?)" : "");
}

static const struct option_spec *find_letter(const struct option_table *table,
					     char letter)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->items[i].letter == letter)
			return &table->items[i];
	return NULL;
}

static const struct option_spec *find_spec(const struct option_table *table,
					   const struct word *word)
{
	if (table->letters && has_one_dash(word) && word->name_len > 1)
		return NULL;
	for (size_t i = 0; i < table->n; i++)
		if (is_named(word, table->items[i].name,
			     table->items[i].letter))
			return &table->items[i];
	return NULL;
}

/* Find an option of the owner: "--name", "--name=VALUE", "-r" or "-rVALUE". */
static bool find_owned(const struct option_table *table,
		       const struct word *word, struct option_word *ret)
{
	size_t len = has_one_dash(word) ? 2 : shown_len(word);
	int id = table->owner ?
			 table->owner->find(word->text, len, &ret->is_switch) :
			 -1;

	if (id < 0)
		return false;
	ret->id = id;
	ret->len = len;
	if (has_one_dash(word))
		ret->value = word->text[2] ? word->text + 2 : NULL;
	return true;
}

bool options_find(const struct option_table *table, const char *text,
		  struct option_word *ret)
{
	const struct word word = split(text);

	*ret = (struct option_word){ .spec = find_spec(table, &word),
				     .value = word.value };
	if (!ret->spec)
		return find_owned(table, &word, ret);
	ret->len = shown_len(&word);
	ret->is_switch = ret->spec->kind == OPTION_FLAG;
	return true;
}

/* For messages, show an option given by its letter by its long name. */
static const char *shown(struct arena *arena, const char *text,
			 const struct option_word *option)
{
	if (option->spec)
		return arena_printf(arena, "--%s", option->spec->name);
	return arena_strndup(arena, text, option->len);
}

static int set_number(const struct option_spec *spec, const char *value,
		      unsigned int *ret)
{
	uint32_t number;
	int r = num_u32(value, &number);

	if (r < 0)
		return fail_in(r, "--%s", spec->name);
	*ret = number;
	return 0;
}

static int set(struct arena *arena, const struct option_spec *spec,
	       const char *value, void *options)
{
	void *field = (char *)options + spec->offset;

	switch (spec->kind) {
	case OPTION_FLAG:
		return flag_value(spec->name, value, field);
	case OPTION_TEXT:
		*(const char **)field = value;
		return 0;
	case OPTION_LIST:
		return strings_add(arena, field, value);
	case OPTION_NUMBER:
		return set_number(spec, value, field);
	}
	return fail(0, "internal error: option --%s has no type", spec->name);
}

/* Parse "-it": 1 if all letters are flags; none may take a value. */
static int take_letters(const struct option_table *table,
			const struct word *word, const char *next,
			void *options)
{
	const struct option_spec *spec = NULL;
	int r;

	if (!table->letters || !has_one_dash(word) || strlen(word->name) < 2)
		return 0;
	for (const char *p = word->name; *p; p++) {
		spec = find_letter(table, *p);
		if (!spec || spec->kind != OPTION_FLAG)
			return 0;
	}
	r = flag_check_next(spec->name, next);
	if (r < 0)
		return r;
	for (const char *p = word->name; *p; p++)
		*(bool *)((char *)options + find_letter(table, *p)->offset) =
			true;
	return 1;
}

/*
 * Parse one option, perhaps with the next argument as its value; return how
 * many arguments it used.
 */
static int take(struct arena *arena, const struct option_table *table,
		const struct word *word, const char *next, void *options)
{
	struct option_word option;
	const char *name;
	int used = 1;
	int r = take_letters(table, word, next, options);

	if (r != 0)
		return r;
	if (!options_find(table, word->text, &option))
		return unknown_option(table, word);
	name = shown(arena, word->text, &option);
	if (!name)
		return -ENOMEM;
	if (!option.value && !option.is_switch) {
		if (!next || (table->letters && streq(next, "--")))
			/* podman searches for this text. */
			return fail(0, "flag needs an argument: %s", name);
		option.value = next;
		used = 2;
	}
	if (!option.value) {
		r = flag_check_next(name + strspn(name, "-"), next);
		if (r < 0)
			return r;
	}
	if (option.spec)
		r = set(arena, option.spec, option.value, options);
	else
		r = table->owner->take(table->owner->user, option.id, name,
				       option.value);
	return r < 0 ? r : used;
}

int options_parse(struct arena *arena, const struct option_table *table,
		  int argc, char **argv, void *options, struct arguments *ret)
{
	struct arguments args = { 0 };
	bool ours = true;
	int used;

	args.argv = arena_array(arena, (size_t)argc + 1, sizeof *args.argv);
	if (!args.argv)
		return -ENOMEM;
	for (int i = 0; i < argc; i += used) {
		struct word word;

		used = 1;
		if (ours && streq(argv[i], "--")) {
			ours = false;
			continue;
		}
		if (!ours || !is_option(argv[i])) {
			args.argv[args.argc++] = argv[i];
			ours = ours && !table->stop_at_args;
			continue;
		}
		word = split(argv[i]);
		if (is_named(&word, "help", 'h')) {
			args.help = true;
			break;
		}
		used = take(arena, table, &word,
			    i + 1 < argc ? argv[i + 1] : NULL, options);
		if (used < 0)
			return used;
	}
	*ret = args;
	return 0;
}
