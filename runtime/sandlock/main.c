/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/main.c - sandlock: run commands in a sandbox, and manage
 * sandboxes.
 */
#include "runtime/sandlock/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "confine/host.h"
#include "oci/state_root.h"
#include "runtime/cli/dispatch.h"
#include "runtime/cli/elevated.h"
#include "runtime/cli/help.h"
#include "runtime/cli/options.h"
#include "runtime/cli/version.h"
#include "runtime/launch/inherited.h"
#include "runtime/sandlock/completion.h"

#define ARENA_SIZE (48UL << 20)
#define OUR_FAILURE 125

struct global_options {
	const char *root;
	bool debug;
	bool version;
};

#define FIELD(field) offsetof(struct global_options, field)

static const struct option_spec options_known[] = {
	{ "root", 0, OPTION_TEXT, FIELD(root), "DIR",
	  "directory for the state of sandboxes" },
	{ "debug", 0, OPTION_FLAG, FIELD(debug), NULL, "print debug messages" },
	{ "version", 'v', OPTION_FLAG, FIELD(version), NULL,
	  "print the version" },
};

static const struct option_table table = {
	.program = "sandlock",
	.items = options_known,
	.n = COUNT(options_known),
	.stop_at_args = true,
};

static const struct command *const commands[] = {
	&sandlock_run,	   &sandlock_explain,	 &sandlock_check,
	&sandlock_profile, &sandlock_wrap,	 &sandlock_ps,
	&sandlock_inspect, &sandlock_kill,	 &sandlock_update,
	&sandlock_events,  &sandlock_ports,	 &sandlock_seatbelt,
	&sandlock_branch,  &sandlock_completion,
};

const struct command_set sandlock_commands = {
	.name = "sandlock",
	.help = "run programs that may do only what a policy allows",
	.options = &table,
	.commands = commands,
	.ncommands = COUNT(commands),
};

static int set_root(const char *given, struct session *session)
{
	char usual[PATH_MAX];
	int r = given ? 0 : state_root(STATE_SANDBOXES, usual);

	if (r < 0)
		return r;
	if (given && given[0] != '/')
		return fail(0, "--root: '%s' is not an absolute path", given);
	session->root = given ? given : arena_strdup(session->arena, usual);
	session->root_given = given != NULL;
	session->rootless = -1;
	return session->root ? 0 : -ENOMEM;
}

/* Report no errors: a shell does not show them while it completes a word. */
static int complete(struct session *session, int argc, char **argv)
{
	struct global_options options = { 0 };
	struct arguments args;

	if (argc > 0)
		(void)options_parse(session->arena, &table, argc - 1, argv,
				    &options, &args);
	if (set_root(options.root, session) >= 0)
		sandlock_complete(session, argc, argv);
	return dispatch_finish(0, OUR_FAILURE);
}

static int run_command(struct session *session, int argc, char **argv)
{
	struct global_options options = { 0 };
	const struct command *command;
	struct arguments args;
	int r;

	if (argc > 0 && streq(argv[0], "__complete"))
		return complete(session, argc - 1, argv + 1);
	r = options_parse(session->arena, &table, argc, argv, &options, &args);
	if (r < 0)
		return dispatch_finish(r, OUR_FAILURE);
	if (args.help || (!options.version && args.argc == 0)) {
		help_program(&sandlock_commands);
		return dispatch_finish(args.help ? 0 : OUR_FAILURE,
				       OUR_FAILURE);
	}
	if (options.version) {
		printf("sandlock version %s\ncommit: %s\n", PACKAGE_VERSION,
		       GIT_COMMIT);
		return dispatch_finish(0, OUR_FAILURE);
	}
	r = log_open(&(struct log_options){ .debug = options.debug,
					    .warnings = true,
					    .program = "sandlock" });
	if (r >= 0)
		r = set_root(options.root, session);
	command = r < 0 ? NULL :
			  dispatch_find(&sandlock_commands, args.argv[0]);
	if (!command)
		return dispatch_finish(-EINVAL, OUR_FAILURE);
	r = dispatch_run(session->arena, &sandlock_commands, command, session,
			 args.argc - 1, args.argv + 1);
	return dispatch_finish(r, command->failure);
}

/* The kernel stores the arguments one after the other. */
static void note_arguments(struct session *session, int argc, char **argv)
{
	if (argc == 0)
		return;
	session->command_line = argv[0];
	session->command_line_size =
		(size_t)(argv[argc - 1] - argv[0]) + strlen(argv[argc - 1]);
}

int main(int argc, char **argv)
{
	AUTO(arena_close) struct arena arena = { 0 };
	struct host host = { 0 };
	struct session session = { .arena = &arena, .host = &host };
	int r = log_open(&(struct log_options){ .program = "sandlock" });

	note_arguments(&session, argc, argv);
	if (r >= 0)
		r = elevated_refuse();
	if (r >= 0)
		r = inherited_settle(&session.given_fds);
	if (r >= 0)
		r = arena_open(&arena, ARENA_SIZE);
	if (r < 0)
		return dispatch_finish(r, OUR_FAILURE);
	return run_command(&session, argc > 0 ? argc - 1 : 0, argv + 1);
}
