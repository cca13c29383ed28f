/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/completion.c - completion: print the scripts of
 * contrib/completion.
 */
#include <stdio.h>

#include "base/err.h"
#include "base/util.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/completion.h"

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	static const struct {
		const char *name, *script;
	} shells[] = {
		{ "bash", completion_bash },
		{ "zsh", completion_zsh },
		{ "fish", completion_fish },
	};

	(void)session;
	(void)options;
	(void)argc;
	for (size_t i = 0; i < COUNT(shells); i++)
		if (streq(shells[i].name, argv[0])) {
			fputs(shells[i].script, stdout);
			return 0;
		}
	return fail(0, "completion: '%s' is not bash, zsh or fish", argv[0]);
}

const struct command sandlock_completion = {
	.name = "completion",
	.arguments = "bash | zsh | fish",
	.help = "print the completion script of a shell",
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 125,
};
