/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/arguments.c - parse the arguments of `run`, `explain` and `wrap`. */
#include "runtime/sandlock/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/util.h"
#include "policy/system_config.h"
#include "runtime/cli/help.h"
#include "runtime/cli/options.h"

#define MAX_TIMEOUT 1e12 /* milliseconds */

struct given {
	struct request_wishes wishes;
	const char *timeout;
	const char *platform;
	const char *backend;
};

#define FIELD(field) offsetof(struct given, field)

const struct option_spec arguments_options[ARGUMENTS_WRAP_NOPTIONS] = {
	{ "profile", 'p', OPTION_TEXT, FIELD(wishes.profile), "NAME",
	  "start with this profile; with a slash: with this file" },
	{ "policy", 0, OPTION_TEXT, FIELD(wishes.policy_file), "FILE",
	  "start with a TOML profile, pyproject.toml, uv.toml or an agent's "
	  "settings.json" },
	{ "enforce", 0, OPTION_TEXT, FIELD(wishes.enforce), "NAME",
	  "profile of the system that the policy can only tighten" },
	{ "config", 0, OPTION_TEXT, FIELD(wishes.config), "FILE",
	  "read this file instead of " SYSTEM_CONFIG " (only root)" },
	{ "project", 0, OPTION_TEXT, FIELD(wishes.project), "DIR",
	  "directory that @project stands for" },
	{ "name", 0, OPTION_TEXT, FIELD(wishes.name), "NAME",
	  "name of the sandbox, for ps, inspect and kill, and the hostname "
	  "inside" },
	{ "env-file", 0, OPTION_LIST, FIELD(wishes.env_files), "FILE",
	  "set the variables listed in this file: NAME=VALUE, or NAME to copy "
	  "the caller's" },
	{ "timeout", 0, OPTION_TEXT, FIELD(timeout), "TIME",
	  "kill it after this time (seconds, or 500ms, 5m, 1h), with status "
	  "124" },
	{ "interactive", 'i', OPTION_FLAG, FIELD(wishes.interactive), NULL,
	  "with -t: pass standard input on (always done without -t)" },
	{ "tty", 't', OPTION_FLAG, FIELD(wishes.terminal), NULL,
	  "allocate a terminal for it, even if this is not run on one" },
	{ "no-tty", 0, OPTION_FLAG, FIELD(wishes.no_terminal), NULL,
	  "allocate no terminal, even if this is run on one" },
	{ "json", 0, OPTION_FLAG, FIELD(wishes.json), NULL,
	  "print the result as JSON on the last line of standard error" },
	{ "why", 0, OPTION_FLAG, FIELD(wishes.why), NULL,
	  "report what was denied and by which key; slows the command down" },
	{ "unsandboxed", 0, OPTION_FLAG, FIELD(wishes.unsandboxed), NULL,
	  "run the command without a sandbox, if the policy allows it" },
	{ "platform", 0, OPTION_TEXT, FIELD(platform), "OS",
	  "show what another platform would enforce: linux or macos" },
	{ "backend", 0, OPTION_TEXT, FIELD(backend), "NAME",
	  "print a command line of sandlock, or one of sandbox-exec: seatbelt" },
};

/* Return the milliseconds of a unit, 0 if it is another. */
static double unit_of(const char *text)
{
	static const struct {
		const char *name;
		double milliseconds;
	} units[] = {
		{ "", 1000 },	{ "ms", 1 },	  { "s", 1000 },
		{ "m", 60000 }, { "h", 3600000 },
	};

	for (size_t i = 0; i < COUNT(units); i++)
		if (streq(units[i].name, text))
			return units[i].milliseconds;
	return 0;
}

static int set_timeout(const char *text, uint64_t *ret)
{
	char *end;
	double number, unit;

	if (!text)
		return 0;
	errno = 0;
	number = strtod(text, &end);
	unit = unit_of(end);
	if (errno || end == text || unit == 0 || strpbrk(text, "xXnN+- ") ||
	    !(number > 0 && number * unit <= MAX_TIMEOUT))
		return fail(0,
			    "--timeout: '%s' is not a duration (a number of "
			    "seconds such as 1.5, or 500ms, 30s, 5m, 1h; at "
			    "most 1000000000 seconds)",
			    text);
	*ret = (uint64_t)(number * unit + 0.5);
	if (*ret == 0)
		*ret = 1;
	return 0;
}

static int count_flags(int argc, char **argv, int npositional)
{
	int flags = argc - npositional;

	return flags - (flags > 0 && streq(argv[flags - 1], "--"));
}

static size_t count_options(const char *command)
{
	if (streq(command, "explain"))
		return ARGUMENTS_EXPLAIN_NOPTIONS;
	return streq(command, "wrap") ? ARGUMENTS_WRAP_NOPTIONS :
					ARGUMENTS_NOPTIONS;
}

static int choose_platform(const struct given *given, bool *ret)
{
	const char *platform = given->platform, *backend = given->backend;

	if (platform && !streq(platform, "macos") && !streq(platform, "linux"))
		return fail(0, "--platform: '%s' is not linux or macos",
			    platform);
	if (backend && !streq(backend, "seatbelt") &&
	    !streq(backend, "sandlock"))
		return fail(0, "--backend: '%s' is not sandlock or seatbelt",
			    backend);
	*ret = (platform && streq(platform, "macos")) ||
	       (backend && streq(backend, "seatbelt"));
	return 0;
}

/* --allow-net is a switch: a host that follows it would be the command. */
static int check_host(int argc, char **argv, const struct arguments *args)
{
	int at = argc - args->argc;
	const char *word = args->argc ? argv[at] : "";

	if (args->argc < 2 || at < 1 || !streq(argv[at - 1], "--allow-net") ||
	    !streq(argv[at + 1], "--"))
		return 0;
	return fail(0,
		    "--allow-net %s: '%s' would be the command to run (for "
		    "one host use --net-allow %s)",
		    word, word, word);
}

static int parse_options(struct arena *arena, const char *command, int argc,
			 char **argv, struct given *given,
			 struct request_arguments *ret)
{
	const struct policy_place place = request_place(&ret->request);
	struct policy_flags *flags = policy_flags_open(arena, &place);
	const struct flag_owner owner = policy_flags_owner(flags);
	const struct option_table table = {
		.program = "sandlock",
		.command = command,
		.items = arguments_options,
		.n = count_options(command),
		.stop_at_args = true,
		.letters = true,
		.owner = &owner,
	};
	struct arguments args;
	int r;

	if (!flags)
		return -ENOMEM;
	r = options_parse(arena, &table, argc, argv, given, &args);
	if (r == 0 && !args.help)
		r = check_host(argc, argv, &args);
	if (r < 0)
		return r;
	ret->help = args.help;
	ret->nflags = count_flags(argc, argv, args.argc);
	given->wishes.command =
		(struct strings){ (const char **)args.argv, (size_t)args.argc };
	return args.help ? 0 : policy_flags_close(flags, &given->wishes.policy);
}

int arguments_parse(struct arena *arena, const char *command, int argc,
		    char **argv, struct request_arguments *ret)
{
	struct given given = { 0 };
	int r;

	*ret = (struct request_arguments){ 0 };
	r = request_open(arena, &ret->request);
	if (r < 0)
		return r;
	r = parse_options(arena, command, argc, argv, &given, ret);
	ret->request.json = given.wishes.json;
	if (r < 0 || ret->help)
		return r;
	r = choose_platform(&given, &ret->macos);
	if (r >= 0)
		r = set_timeout(given.timeout, &given.wishes.timeout_ms);
	return r < 0 ? r : request_make(arena, &given.wishes, &ret->request);
}

/* Print usage, options, and all flags of a policy. */
static int print_help(struct arena *arena, const struct command *command)
{
	const char *keys;
	int r = policy_help(arena, &keys);

	if (r < 0)
		return r;
	printf("usage: sandlock %s %s\n\n%s\n\noptions:\n", command->name,
	       command->arguments, command->help);
	help_options(arguments_options, count_options(command->name));
	printf("\npolicy:\n%s", keys);
	return 0;
}

int arguments_take(struct arena *arena, const struct command *command, int argc,
		   char **argv, struct request_arguments *ret)
{
	int r = arguments_parse(arena, command->name, argc, argv, ret);

	if (r < 0)
		return r;
	if (ret->help)
		return print_help(arena, command);
	if (ret->request.command.n < (size_t)command->min_args)
		return fail(0,
			    "%s: the command is missing, usage: sandlock %s %s",
			    command->name, command->name, command->arguments);
	return 1;
}
