/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/arguments_help.c - the tables of a request, as text on stdout. */
#include "runtime/sandlock/arguments_help.h"

#include <stdio.h>

#include "base/err.h"
#include "runtime/cli/command.h"
#include "runtime/cli/help.h"
#include "runtime/sandbox/request.h"

/* Usage, options, and every flag of a policy. */
static int print_help(struct arena *arena, const struct command *command)
{
	const char *keys;
	int r = policy_help(arena, &keys);

	if (r < 0)
		return r;
	printf("usage: sandlock %s %s\n\n%s\n\noptions:\n", command->name,
	       command->arguments, command->help);
	/* The last one is --help, which every table gets. */
	help_options(request_options, request_noptions - 1);
	printf("\npolicy:\n%s", keys);
	return 0;
}

int request_take(struct arena *arena, const struct command *command, int argc,
		 char **argv, struct request *ret)
{
	int r = request_parse(arena, argc, argv, ret);

	if (r < 0)
		return r;
	if (ret->help)
		return print_help(arena, command);
	if (ret->command.n < (size_t)command->min_args)
		return fail(0, "%s: no command, usage: sandlock %s %s",
			    command->name, command->name, command->arguments);
	return 1;
}
