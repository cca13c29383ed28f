/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/wrap.c - wrap: print the command line for `run`. */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/util.h"
#include "runtime/cli/quote.h"
#include "runtime/sandbox/request.h"
#include "runtime/sandbox/unsandboxed.h"
#include "runtime/sandlock/arguments.h"
#include "runtime/sandlock/commands.h"

static int print_words(struct arena *arena, const struct strings *words)
{
	const char *line = quote_words(arena, words);

	if (!line)
		return -ENOMEM;
	puts(line);
	return 0;
}

/* Print the path that we checked: a shell could find another file in PATH. */
static int print_plain(struct arena *arena, const struct request *request,
		       const struct unsandboxed *decided)
{
	const struct strings *command = &request->command;
	const char **words = arena_array(arena, command->n + 1, sizeof *words);

	if (!words)
		return -ENOMEM;
	for (size_t i = 0; i < command->n; i++)
		words[i] = command->items[i];
	if (decided->why == UNSANDBOXED_EXCLUDED)
		words[0] = decided->excluded.file;
	return print_words(arena, &(struct strings){ words, command->n });
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct arena *arena = session->arena;
	struct unsandboxed decided;
	struct strings words;
	struct request_arguments args;
	const struct request *request = &args.request;
	int r;

	(void)options;
	r = arguments_take(arena, &sandlock_wrap, argc, argv, &args);
	if (r <= 0)
		return r;
	r = args.macos ? 0 : policy_refuse_unenforced(&request->policy);
	if (r < 0)
		return r;
	r = unsandboxed_decide(arena, request, &decided);
	if (r < 0)
		return r;
	if (decided.why != UNSANDBOXED_NO)
		return print_plain(arena, request, &decided);
	r = args.macos ? wrap_seatbelt(arena, request, &words) :
			 wrap_arguments(arena, &args, argv, &words);
	return r < 0 ? r : print_words(arena, &words);
}

const struct command sandlock_wrap = {
	.name = "wrap",
	.arguments = "[options] [policy] [--] COMMAND [ARG...]",
	.help = "print the command line that runs a command in a sandbox",
	.min_args = 1,
	.options = arguments_options,
	.noptions = ARGUMENTS_WRAP_NOPTIONS,
	.own_words = true,
	.run = run,
	.failure = 125,
};
