/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/seatbelt.c - seatbelt: print the profile that macOS would
 * enforce.
 */
#include <stdio.h>

#include "runtime/diagnose/explain_macos.h"
#include "runtime/sandlock/arguments.h"
#include "runtime/sandlock/commands.h"

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct arena *arena = session->arena;
	struct request_arguments args;
	const char *profile;
	int r;

	(void)options;
	r = arguments_take(arena, &sandlock_seatbelt, argc, argv, &args);
	if (r <= 0)
		return r;
	r = explain_macos_profile(arena, &args.request, &profile);
	if (r >= 0)
		fputs(profile, stdout);
	return r;
}

const struct command sandlock_seatbelt = {
	.name = "seatbelt",
	.arguments = "[options] [policy] [--] [COMMAND [ARG...]]",
	.help = "print the Seatbelt profile that enforces a policy on macOS",
	.options = arguments_options,
	.noptions = ARGUMENTS_NOPTIONS,
	.own_words = true,
	.run = run,
	.failure = 125,
};
