/* SPDX-License-Identifier: Apache-2.0 */
/* darwin/main.c - the start of both programs. */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "darwin/commands.h"
#include "runtime/cli/elevated.h"
#include "runtime/cli/help.h"
#include "runtime/cli/options.h"
#include "runtime/cli/version.h"

#define ARENA_SIZE (48UL << 20)

struct darwin_options {
	bool debug;
	bool version;
};

#define FIELD(field) offsetof(struct darwin_options, field)

static const struct option_spec options_known[] = {
	{ "debug", 0, OPTION_FLAG, FIELD(debug), NULL, "print debug messages" },
	{ "version", 'v', OPTION_FLAG, FIELD(version), NULL,
	  "print the version" },
};

static int run(const struct command_set *program, int failure,
	       struct session *session, int argc, char **argv)
{
	const struct option_table table = {
		.program = program->name,
		.items = options_known,
		.n = COUNT(options_known),
		.stop_at_args = true,
	};
	struct command_set set = *program;
	struct darwin_options options = { 0 };
	const struct command *command;
	struct arguments args;
	int r = options_parse(session->arena, &table, argc, argv, &options,
			      &args);

	set.options = &table;
	if (r < 0)
		return dispatch_finish(r, failure);
	if (args.help || (!options.version && args.argc == 0)) {
		help_program(&set);
		return dispatch_finish(args.help ? 0 : failure, failure);
	}
	if (options.version) {
		printf("%s version %s\ncommit: %s\n", program->name,
		       PACKAGE_VERSION, GIT_COMMIT);
		return dispatch_finish(0, failure);
	}
	r = log_open(&(struct log_options){ .debug = options.debug,
					    .warnings = true,
					    .program = program->name });
	command = r < 0 ? NULL : dispatch_find(&set, args.argv[0]);
	if (!command)
		return dispatch_finish(-EINVAL, failure);
	r = dispatch_run(session->arena, &set, command, session, args.argc - 1,
			 args.argv + 1);
	return dispatch_finish(r, command->failure);
}

int darwin_main(const struct command_set *program, int failure, int argc,
		char **argv)
{
	AUTO(arena_close) struct arena arena = { 0 };
	struct session session = { .arena = &arena, .root = "/" };
	int r = log_open(&(struct log_options){ .program = program->name });

	if (r >= 0)
		r = elevated_refuse();
	if (r >= 0)
		r = arena_open(&arena, ARENA_SIZE);
	if (r < 0)
		return dispatch_finish(r, failure);
	return run(program, failure, &session, argc > 0 ? argc - 1 : 0,
		   argv + 1);
}
