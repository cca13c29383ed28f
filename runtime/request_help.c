/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/request_help.c - the tables of a request, as text on stdout. */
#include "runtime/request_help.h"

#include <stdio.h>

#include "runtime/commands.h"
#include "runtime/help.h"
#include "runtime/request.h"

int request_help(struct arena *arena, const struct command *command)
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
