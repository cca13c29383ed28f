/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/options.c - any command line of sandlock-oci, one word a line:
 * said again in one spelling only, it must mean the same.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "runtime/cli/command.h"
#include "runtime/sandlock-oci/global_options.h"
#include "tests/fuzz/fuzz.h"

static const struct command *const commands[] = {
	&command_create,     &command_start,   &command_run,
	&command_exec,	     &command_state,   &command_list,
	&command_ps,	     &command_kill,    &command_delete,
	&command_pause,	     &command_resume,  &command_update,
	&command_events,     &command_spec,    &command_features,
	&command_checkpoint, &command_restore,
};

struct parsed {
	struct option_table table;
	void *options;
	size_t size;
	struct arguments args;
};

static struct parsed before, after;

static int parse_part(struct arena *arena, struct parsed *part, int argc,
		      char **argv)
{
	part->options = arena_alloc(arena, part->size);
	if (!part->options)
		return -ENOMEM;
	return options_parse(arena, &part->table, argc, argv, part->options,
			     &part->args);
}

static int choose_command(const char *name)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (streq(commands[i]->name, name)) {
			after.table = (struct option_table){
				.command = name,
				.items = commands[i]->options,
				.n = commands[i]->noptions,
				.stop_at_args = commands[i]->stop_at_args,
			};
			after.size = commands[i]->options_size;
			return 0;
		}
	return fail(0, "unknown command '%s'", name);
}

static int parse(struct arena *arena, const char *text, size_t len)
{
	struct strings words;
	int r = fuzz_lines(arena, text, len, &words);

	after = (struct parsed){ 0 };
	before = (struct parsed){ .table = global_options_table,
				  .size = sizeof(struct global_options) };
	if (r < 0)
		return r;
	r = parse_part(arena, &before, (int)words.n, (char **)words.items);
	if (r < 0 || before.args.help || before.args.argc == 0)
		return r;
	r = choose_command(before.args.argv[0]);
	if (r < 0)
		return r;
	return parse_part(arena, &after, before.args.argc - 1,
			  before.args.argv + 1);
}

static void put(struct arena *arena, struct strings *words,
		const struct option_spec *spec, const char *value)
{
	if (value)
		words->items[words->n++] =
			arena_printf(arena, "--%s=%s", spec->name, value);
}

/* --name=value for all that has one, "--", and the rest. */
static void spell(struct arena *arena, const struct parsed *part,
		  struct strings *words)
{
	for (size_t i = 0; i < part->table.n; i++) {
		const struct option_spec *spec = &part->table.items[i];
		const void *field = (char *)part->options + spec->offset;
		const struct strings *list = field;
		const char *value = NULL;

		switch (spec->kind) {
		case OPTION_FLAG:
			value = *(const bool *)field ? "true" : "false";
			break;
		case OPTION_TEXT:
			value = *(const char *const *)field;
			break;
		case OPTION_NUMBER:
			value = arena_printf(arena, "%u",
					     *(const unsigned int *)field);
			break;
		case OPTION_LIST:
			for (size_t j = 0; j < list->n; j++)
				put(arena, words, spec, list->items[j]);
			break;
		}
		put(arena, words, spec, value);
	}
	words->items[words->n++] = "--";
	for (int i = 0; i < part->args.argc; i++)
		words->items[words->n++] = part->args.argv[i];
}

static void demand_same_field(const struct option_spec *spec, const void *a,
			      const void *b)
{
	const struct strings *x = a, *y = b;

	switch (spec->kind) {
	case OPTION_FLAG:
		demand(*(const bool *)a == *(const bool *)b);
		break;
	case OPTION_TEXT:
		demand(fuzz_same_text(*(const char *const *)a,
				      *(const char *const *)b));
		break;
	case OPTION_NUMBER:
		demand(*(const unsigned int *)a == *(const unsigned int *)b);
		break;
	case OPTION_LIST:
		demand(x->n == y->n);
		for (size_t i = 0; i < x->n; i++)
			demand(streq(x->items[i], y->items[i]));
		break;
	}
}

static void demand_same_again(struct arena *arena, const struct parsed *part)
{
	/* Every word of a list was a word; flags and numbers always show. */
	size_t most = 2 * part->table.n + 4096 + (size_t)part->args.argc;
	struct strings words = { .items = arena_array(arena, most,
						      sizeof *words.items) };
	struct parsed again = *part;

	if (part->args.help)
		return;
	spell(arena, part, &words);
	demand(parse_part(arena, &again, (int)words.n, (char **)words.items) ==
	       0);
	for (size_t i = 0; i < part->table.n; i++) {
		const struct option_spec *spec = &part->table.items[i];

		demand_same_field(spec, (char *)part->options + spec->offset,
				  (char *)again.options + spec->offset);
	}
	demand(again.args.argc == part->args.argc && !again.args.help);
	for (int i = 0; i < part->args.argc; i++)
		demand(streq(again.args.argv[i], part->args.argv[i]));
	demand(!again.args.argv[again.args.argc]);
}

static void accepted(struct arena *arena)
{
	demand_same_again(arena, &before);
	if (after.options)
		demand_same_again(arena, &after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return size > 4096 ? 0 :
			     fuzz(&(struct fuzz_target){ parse, accepted },
				  data, size);
}
