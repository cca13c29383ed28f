/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/options.c - the parser of the command line, driven by tables. */
#include "runtime/cli/options.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/flag.h"
#include "base/num.h"
#include "base/util.h"
#include "oci/oci.h"

/* One word that is an option: "--pid-file=x" is name "pid-file", value "x". */
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

static bool is_named(const struct word *word, const char *name, char letter)
{
	if (word->name_len == 1 && word->name == word->text + 1)
		return letter && word->name[0] == letter;
	return strlen(name) == word->name_len &&
	       memcmp(word->name, name, word->name_len) == 0;
}

static const struct option_spec *find(const struct option_table *table,
				      const struct word *word)
{
	for (size_t i = 0; i < table->n; i++)
		if (is_named(word, table->items[i].name,
			     table->items[i].letter))
			return &table->items[i];
	return NULL;
}

static int unknown_option(const struct option_table *table,
			  const struct word *word)
{
	int shown = (int)(word->name - word->text) + (int)word->name_len;
	const char *command = table->command ? table->command : "";

	return fail(0, "unknown option %.*s, see %s %s%s--help", shown,
		    word->text,
		    table->program ? table->program : "sandlock-oci", command,
		    *command ? " " : "");
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

static int append(struct arena *arena, struct strings *list, const char *value)
{
	const char **items = arena_grow(arena, list->items, list->n,
					list->n + 2, sizeof *items);

	if (!items)
		return -ENOMEM;
	items[list->n] = value;
	*list = (struct strings){ .items = items, .n = list->n + 1 };
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
		return append(arena, field, value);
	case OPTION_NUMBER:
		return set_number(spec, value, field);
	}
	return fail(EINVAL, "--%s", spec->name);
}

int options_parse(struct arena *arena, const struct option_table *table,
		  int argc, char **argv, void *options, struct arguments *ret)
{
	struct arguments args = { 0 };
	bool ours = true;

	args.argv = arena_array(arena, (size_t)argc + 1, sizeof *args.argv);
	if (!args.argv)
		return -ENOMEM;
	for (int i = 0; i < argc; i++) {
		const struct option_spec *spec;
		struct word word;
		int r;

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
		spec = find(table, &word);
		if (!spec)
			return unknown_option(table, &word);
		if (!word.value && spec->kind != OPTION_FLAG) {
			if (i + 1 == argc)
				/* podman looks for these very words. */
				return fail(0, "flag needs an argument: --%s",
					    spec->name);
			word.value = argv[++i];
		}
		r = set(arena, spec, word.value, options);
		if (r == 0 && !word.value)
			r = flag_check_next(spec->name,
					    i + 1 < argc ? argv[i + 1] : NULL);
		if (r < 0)
			return r;
	}
	*ret = args;
	return 0;
}
