/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/completion.c - completion: what shells need to know of us. */
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "base/util.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/completion.h"

static const struct {
	const char *name;
	void (*write)(const struct completion *all, struct policy_text *out);
} shells[] = {
	{ "bash", completion_bash },
	{ "zsh", completion_zsh },
	{ "fish", completion_fish },
};

static int print(struct arena *arena, size_t shell)
{
	struct policy_text out = { .arena = arena };
	struct completion all;
	const char *text;
	int r = completion_collect(arena, &sandlock_commands, &all);

	if (r < 0)
		return r;
	shells[shell].write(&all, &out);
	r = text_close(&out, &text);
	if (r < 0)
		return r;
	fputs(text, stdout);
	return 0;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	(void)options;
	(void)argc;
	for (size_t i = 0; i < COUNT(shells); i++)
		if (streq(shells[i].name, argv[0]))
			return print(session->arena, i);
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
