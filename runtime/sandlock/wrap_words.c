/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/wrap_words.c - the words of the command line for `run`. */
#include <errno.h>

#include "base/arena.h"
#include "runtime/diagnose/explain_macos.h"
#include "runtime/sandlock/arguments.h"

int wrap_arguments(struct arena *arena, const struct request_arguments *args,
		   char **argv, struct strings *ret)
{
	const struct strings *command = &args->request.command;
	size_t flags = (size_t)args->nflags;
	const char **words =
		arena_array(arena, flags + command->n + 4, sizeof *words);
	size_t n = 0;

	if (!words)
		return -ENOMEM;
	words[n++] = "sandlock";
	words[n++] = "run";
	for (size_t i = 0; i < flags; i++)
		words[n++] = argv[i];
	words[n++] = "--";
	for (size_t i = 0; i < command->n; i++)
		words[n++] = command->items[i];
	*ret = (struct strings){ words, n };
	return 0;
}

/* Environment, limits and directory stay as they are: run applies them. */
int wrap_seatbelt(struct arena *arena, const struct request *request,
		  struct strings *ret)
{
	const struct strings *command = &request->command;
	const char **words = arena_array(arena, command->n + 5, sizeof *words);
	int r = words ? explain_macos_profile(arena, request, &words[2]) :
			-ENOMEM;
	size_t n = 3;

	if (r < 0)
		return r;
	words[0] = "sandbox-exec";
	words[1] = "-p";
	words[n++] = "--";
	for (size_t i = 0; i < command->n; i++)
		words[n++] = command->items[i];
	*ret = (struct strings){ words, n };
	return 0;
}
