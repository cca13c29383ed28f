/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/main.c - sandlock-oci: parse global options, run a
 * command, print its error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "confine/confine.h"
#include "confine/host.h"
#include "oci/oci.h"
#include "runtime/cli/complete.h"
#include "runtime/cli/dispatch.h"
#include "runtime/cli/elevated.h"
#include "runtime/cli/help.h"
#include "runtime/cli/options.h"
#include "runtime/cli/version.h"
#include "runtime/container/container.h"
#include "runtime/launch/inherited.h"
#include "runtime/launch/own_binary.h"
#include "runtime/sandlock-oci/commands.h"
#include "runtime/sandlock-oci/global_options.h"

#define ARENA_SIZE (48UL << 20)

static const struct command *const commands[] = {
	&command_create,     &command_start,   &command_run,
	&command_exec,	     &command_state,   &command_list,
	&command_ps,	     &command_kill,    &command_delete,
	&command_pause,	     &command_resume,  &command_update,
	&command_events,     &command_spec,    &command_features,
	&command_checkpoint, &command_restore, &command_explain,
	&command_inspect,    &command_ports,
};

static int print_version(struct arena *arena)
{
	const char *libseccomp = confine_libseccomp_version(arena);

	if (!libseccomp)
		return -ENOMEM;
	printf("sandlock-oci version %s\ncommit: %s\nspec: %s\n"
	       "libseccomp: %s\n",
	       PACKAGE_VERSION, GIT_COMMIT, OCI_VERSION, libseccomp);
	return 0;
}

static const struct command_set program = {
	.name = "sandlock-oci",
	.help = "OCI container runtime",
	.options = &global_options_table,
	.commands = commands,
	.ncommands = COUNT(commands),
};

static void offer(const struct completion *c, const char *value)
{
	const struct session *session = c->user;
	struct strings ids = { 0 };

	if (c->option)
		global_options_offer(c);
	if (streq(value, "ID") &&
	    container_ids(session->arena, session->root, &ids) >= 0)
		for (size_t i = 0; i < ids.n; i++)
			complete_with(c, ids.items[i], "container");
}

/* Report no errors: a shell does not show them while it completes a word. */
static int complete_words(struct session *session, int argc, char **argv)
{
	const struct completer completer = { .program = &program,
					     .offer = offer,
					     .user = session };
	struct global_options options = { 0 };
	struct arguments args;

	if (argc > 0)
		(void)options_parse(session->arena, program.options, argc - 1,
				    argv, &options, &args);
	options = (struct global_options){ .root = options.root,
					   .config = options.config };
	if (global_options_apply(&options, session) >= 0)
		complete(&completer, argc, argv);
	return dispatch_finish(0, EXIT_FAILURE);
}

static int run_words(struct arena *arena, unsigned int given_fds, int argc,
		     char **argv)
{
	struct host host = { 0 };
	struct session session = { .arena = arena,
				   .host = &host,
				   .given_fds = given_fds };
	struct global_options options = { 0 };
	const struct command *command;
	struct arguments args;
	int r;

	if (argc > 0 && streq(argv[0], "__complete"))
		return complete_words(&session, argc - 1, argv + 1);
	r = options_parse(arena, program.options, argc, argv, &options, &args);
	if (r < 0)
		return dispatch_finish(r, EXIT_FAILURE);
	if (args.help || (!options.version && args.argc == 0)) {
		help_program(&program);
		return dispatch_finish(args.help ? 0 : EXIT_FAILURE,
				       EXIT_FAILURE);
	}
	if (options.version)
		return dispatch_finish(print_version(arena), EXIT_FAILURE);
	command = dispatch_find(&program, args.argv[0]);
	/* All descriptors are still the caller's, so keep all of them. */
	if (command && command->enters) {
		r = own_binary_protect(SELF_KEEP_ALL);
		if (r < 0)
			return dispatch_finish(r, command->failure);
	}
	r = global_options_apply(&options, &session);
	if (r < 0)
		return dispatch_finish(r, EXIT_FAILURE);
	if (!command)
		return dispatch_finish(-EINVAL, EXIT_FAILURE);
	r = dispatch_run(session.arena, &program, command, &session,
			 args.argc - 1, args.argv + 1);
	return dispatch_finish(r, command->failure);
}

int main(int argc, char **argv)
{
	/* The exit of the process frees it, in less time. */
	struct arena arena = { 0 };
	unsigned int given_fds;
	int r;

	r = elevated_refuse();
	if (r >= 0)
		r = inherited_settle(&given_fds);
	if (r >= 0)
		r = arena_open(&arena, ARENA_SIZE);
	if (r < 0)
		return dispatch_finish(r, EXIT_FAILURE);
	return run_words(&arena, given_fds, argc > 0 ? argc - 1 : 0, argv + 1);
}
