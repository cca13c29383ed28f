/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/explain.c - explain: print what `run` would do on this host,
 * and how.
 */
#include <stdio.h>

#include "base/auto.h"
#include "confine/nested.h"
#include "runtime/diagnose/explain.h"
#include "runtime/diagnose/explain_macos.h"
#include "runtime/sandlock/arguments.h"
#include "runtime/sandlock/commands.h"

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct explanation all = { .prepared = PREPARED_NONE };
	struct arena *arena = session->arena;
	struct request_arguments args;
	int r;

	(void)options;
	r = arguments_take(arena, &sandlock_explain, argc, argv, &args);
	if (r <= 0)
		return r;
	if (args.macos)
		return explain_macos(arena, &args.request);
	r = nested_weaken(arena, session->host, &args.request.policy);
	if (r < 0)
		return r;
	r = explain_make(arena, session, &args.request, &all);
	if (r >= 0 && args.request.json)
		r = explain_print_json(arena, &all);
	else if (r >= 0)
		explain_print(arena, &all);
	create_forget(&all.prepared);
	return r < 0 ? r : all.refusal != NULL;
}

const struct command sandlock_explain = {
	.name = "explain",
	.arguments = "[options] [policy] [--] [COMMAND [ARG...]]",
	.help = "show what would be enforced on this host, and by which "
		"mechanism",
	.options = arguments_options,
	.noptions = ARGUMENTS_EXPLAIN_NOPTIONS,
	.own_words = true,
	.run = run,
	.failure = 125,
};
