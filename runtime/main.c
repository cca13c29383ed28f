/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/main.c - sandlock-oci: global options, the table of commands, the one place that prints errors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "confine/confine.h"
#include "oci/oci.h"
#include "runtime/commands.h"
#include "runtime/global_options.h"
#include "runtime/help.h"
#include "runtime/inherited.h"
#include "runtime/options.h"
#include "runtime/self.h"
#include "runtime/version.h"

#define ARENA_SIZE (48UL << 20)

static const struct command *const commands[] = {
	&command_create,     &command_start,	&command_run,
	&command_exec,	     &command_state,	&command_list,
	&command_ps,	     &command_kill,	&command_delete,
	&command_pause,	     &command_resume,	&command_update,
	&command_events,     &command_spec,	&command_features,
	&command_checkpoint, &command_restore,
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (streq(commands[i]->name, name))
			return commands[i];
	fail(0, "unknown command '%s', see sandlock-oci --help", name);
	return NULL;
}

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

static int check_count(const struct command *command, int argc)
{
	if (argc >= command->min_args &&
	    (command->max_args < 0 || argc <= command->max_args))
		return 0;
	return fail(0, "%s: %s arguments, usage: sandlock-oci %s %s",
		    command->name,
		    argc < command->min_args ? "missing" : "too many",
		    command->name, command->arguments);
}

static int run_command(const struct globals *globals,
		       const struct command *command, int argc, char **argv)
{
	const struct option_table table = {
		.command = command->name,
		.items = command->options,
		.n = command->noptions,
		.stop_at_args = command->stop_at_args,
	};
	void *options = arena_alloc(globals->arena, command->options_size);
	struct arguments args;
	int r;

	if (!options)
		return -ENOMEM;
	r = options_parse(globals->arena, &table, argc, argv, options, &args);
	if (r < 0)
		return r;
	if (args.help) {
		help_command(command);
		return 0;
	}
	r = check_count(command, args.argc);
	if (r < 0)
		return r;
	return command->run(globals, options, args.argc, args.argv);
}

/* A full disk or a closed reader must not look like success. */
static int flush_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return fail(errno, "write to stdout");
	return 0;
}

/* The exit status of one command, its error printed. */
static int finish(int r, int failure)
{
	if (r >= 0 && flush_output() >= 0)
		return r;
	log_error(err_text());
	return failure ? failure : EXIT_FAILURE;
}

static int dispatch(struct arena *arena, unsigned int given_fds, int argc,
		    char **argv)
{
	const struct option_table *table = global_options_table();
	struct globals globals = { .arena = arena, .given_fds = given_fds };
	struct global_options options = { 0 };
	const struct command *command;
	struct arguments args;
	int r;

	r = options_parse(arena, table, argc, argv, &options, &args);
	if (r < 0)
		return finish(r, EXIT_FAILURE);
	if (args.help || (!options.version && args.argc == 0)) {
		help_program(table, commands, COUNT(commands));
		return finish(args.help ? 0 : EXIT_FAILURE, EXIT_FAILURE);
	}
	if (options.version)
		return finish(print_version(arena), EXIT_FAILURE);
	command = find_command(args.argv[0]);
	/* While all descriptors are the caller's: they are all kept. */
	if (command && command->enters) {
		r = self_protect(SELF_KEEP_ALL);
		if (r < 0)
			return finish(r, command->failure);
	}
	r = global_options_apply(&options, &globals);
	if (r < 0)
		return finish(r, EXIT_FAILURE);
	if (!command)
		return finish(-EINVAL, EXIT_FAILURE);
	r = run_command(&globals, command, args.argc - 1, args.argv + 1);
	return finish(r, command->failure);
}

int main(int argc, char **argv)
{
	AUTO(arena_close) struct arena arena = { 0 };
	unsigned int given_fds;
	int r;

	r = inherited_settle(&given_fds);
	if (r >= 0)
		r = arena_open(&arena, ARENA_SIZE);
	if (r < 0)
		return finish(r, EXIT_FAILURE);
	return dispatch(&arena, given_fds, argc > 0 ? argc - 1 : 0, argv + 1);
}
