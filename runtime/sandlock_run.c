/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock_run.c - one command on the host's own files, with no more than its policy allows. */
#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "runtime/help.h"
#include "runtime/request.h"
#include "runtime/sandlock.h"

static int print_help(struct arena *arena)
{
	const char *keys;
	int r = policy_help(arena, &keys);

	if (r < 0)
		return r;
	printf("usage: sandlock run [options] [policy] [--] COMMAND [ARG...]\n"
	       "\n%s\n\noptions:\n",
	       sandlock_run.help);
	help_options(request_options, request_noptions - 1);
	printf("\npolicy:\n%s", keys);
	return 0;
}

static int run(const struct globals *globals, const void *options, int argc,
	       char **argv)
{
	struct request request;
	int r;

	(void)options;
	r = request_parse(globals->arena, argc, argv, &request);
	if (r < 0)
		return r;
	if (request.help)
		return print_help(globals->arena);
	return fail(ENOSYS, "run");
}

const struct command sandlock_run = {
	.name = "run",
	.arguments = "[options] [policy] [--] COMMAND [ARG...]",
	.help = "run a command with no more than its policy allows",
	.own_words = true,
	.run = run,
	.failure = 125,
};
