/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cli/dispatch.c - find a command by its name, run it, report its
 * result.
 */
#include "runtime/cli/dispatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/util.h"
#include "runtime/cli/help.h"
#include "runtime/cli/options.h"

const struct command *dispatch_find(const struct command_set *program,
				    const char *name)
{
	struct nearest near = nearest_to(name, strlen(name));
	const char *meant;

	for (size_t i = 0; i < program->ncommands; i++) {
		const char *known = program->commands[i]->name;

		if (streq(known, name))
			return program->commands[i];
		nearest_try(&near, known, known);
	}
	meant = nearest_found(&near);
	fail(0, "unknown command '%s', see %s --help%s%s%s", name,
	     program->name, meant ? " (did you mean " : "", meant ? meant : "",
	     meant ? "?)" : "");
	return NULL;
}

static int check_count(const struct command_set *program,
		       const struct command *command, int argc)
{
	if (argc >= command->min_args &&
	    (command->max_args < 0 || argc <= command->max_args))
		return 0;
	return fail(0, "%s: %s arguments, usage: %s %s %s", command->name,
		    argc < command->min_args ? "missing" : "too many",
		    program->name, command->name, command->arguments);
}

int dispatch_run(struct arena *arena, const struct command_set *program,
		 const struct command *command, const struct session *session,
		 int argc, char **argv)
{
	const struct option_table table = {
		.program = program->name,
		.command = command->name,
		.items = command->options,
		.n = command->noptions,
		.stop_at_args = command->stop_at_args,
	};
	struct arguments args = { .argc = argc, .argv = argv };
	void *options;
	int r;

	if (command->own_words)
		return command->run(session, NULL, argc, argv);
	options = arena_alloc(arena, command->options_size);
	if (!options)
		return -ENOMEM;
	r = options_parse(arena, &table, argc, argv, options, &args);
	if (r < 0)
		return r;
	if (args.help) {
		help_command(program, command);
		return 0;
	}
	r = check_count(program, command, args.argc);
	if (r < 0)
		return r;
	return command->run(session, options, args.argc, args.argv);
}

/* Report a full disk or a closed reader as a failure. */
static int flush_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return fail(errno, "write the output to stdout");
	return 0;
}

int dispatch_finish(int r, int failure)
{
	if (r >= 0 && flush_output() >= 0)
		return r;
	if (err_is_alone())
		log_error_alone(err_text());
	else
		log_error(err_text());
	return failure ? failure : EXIT_FAILURE;
}
