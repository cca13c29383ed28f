/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/profile.c - profile: list, show, validate and create
 * profiles.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/nearest.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/profile_builtin.h"
#include "policy/profile_starter.h"
#include "runtime/cli/quote.h"
#include "runtime/sandbox/request.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/profile_files.h"

#define ORIGIN_WIDTH 8

static int list(struct arena *arena, const struct profile_words *words)
{
	struct profile_list profiles;
	int r = profile_list(arena, &profiles);

	(void)words;
	for (size_t i = 0; r >= 0 && i < profiles.n; i++) {
		const struct profile_file *item = &profiles.items[i];
		const char *name = quote_shown(arena, item->name);
		const char *path = item->path ? quote_shown(arena, item->path) :
						"in the program";

		if (!name || !path)
			return -ENOMEM;
		printf("%-*s  %-*s  %s\n", (int)profiles.width, name,
		       ORIGIN_WIDTH, item->origin, path);
	}
	return r;
}

/* Show the policy of `run -p NAME`. */
static int show(struct arena *arena, const struct profile_words *words)
{
	const struct request_wishes wishes = { .profile = words->argument };
	struct request request;
	const char *text;
	int r = request_open(arena, &request);

	if (r >= 0)
		r = request_make(arena, &wishes, &request);
	if (r < 0)
		return r;
	r = policy_to_toml(arena, &request.policy, &text);
	if (r < 0)
		return r;
	fputs(text, stdout);
	return 0;
}

/* Check the policy of `run --policy FILE`. */
static int validate(struct arena *arena, const struct profile_words *words)
{
	const char *path = words->argument;
	const struct request_wishes wishes = { .policy_file = path };
	struct request request;
	int r = request_open(arena, &request);

	if (r >= 0)
		r = request_make(arena, &wishes, &request);
	if (r < 0)
		return r;
	printf("%s: valid\n", path);
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (request.policy.set[key] &&
		    !policy_is_enforced(&request.policy, key))
			printf("%s: %s is not enforced by this build: run "
			       "refuses it\n",
			       path, policy_key_name(key));
	return 0;
}

static int fail_kind(struct arena *arena, const char *kind)
{
	struct nearest near = nearest_to(kind, strlen(kind));
	const char *names = "", *meant;

	for (size_t i = 0; names && profile_builtins[i].name; i++) {
		nearest_try(&near, profile_builtins[i].name,
			    profile_builtins[i].name);
		names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
				     profile_builtins[i].name);
	}
	if (!names)
		return -ENOMEM;
	meant = nearest_found(&near);
	return fail(0, "profile new --for: '%s' is not one of: %s%s%s%s", kind,
		    names, meant ? " (did you mean " : "", meant ? meant : "",
		    meant ? "?)" : "");
}

static int begin(struct arena *arena, const struct profile_words *words)
{
	const char *name = words->argument, *text, *path;
	const struct profile_builtin *kind =
		words->kind ? profile_builtin_find(words->kind) : NULL;
	int r;

	if (words->kind && !kind)
		return fail_kind(arena, words->kind);
	r = kind ? profile_starter_for(arena, name, kind, &text) :
		   profile_starter(arena, name, &text);
	if (r >= 0)
		r = profile_create(arena, name, text, &path);
	if (r >= 0)
		name = quote_word(arena, name);
	if (r < 0 || !name)
		return r < 0 ? r : -ENOMEM;
	printf("%s\nuse it: sandlock run -p %s -- COMMAND\n", path, name);
	return 0;
}

static int print_schema(struct arena *arena, const struct profile_words *words)
{
	const char *text;
	int r = policy_schema(arena, &text);

	(void)words;
	if (r < 0)
		return r;
	puts(text);
	return 0;
}

const struct profile_verb profile_verbs[] = {
	{ "list", NULL, "list profiles and their files", list, false },
	{ "show", "NAME", "print a profile as sandlock understands it", show,
	  false },
	{ "validate", "FILE",
	  "check a profile, pyproject.toml, uv.toml or settings.json", validate,
	  false },
	{ "new", "NAME", "create a profile in the user's directory", begin,
	  true },
	{ "schema", NULL, "print the JSON schema of a profile", print_schema,
	  false },
};
const size_t profile_nverbs = COUNT(profile_verbs);

struct options {
	const char *kind;
};

static const struct option_spec options_of_profile[] = {
	{ "for", 0, OPTION_TEXT, offsetof(struct options, kind), "KIND",
	  "new: begin with the built-in profile agent, c, go, node, python or "
	  "readonly" },
};

static int run_verb(struct arena *arena, const struct profile_verb *verb,
		    int argc, const struct profile_words *words)
{
	if (argc != (verb->argument ? 2 : 1))
		return fail(0,
			    "profile %s: wrong number of arguments, usage: "
			    "sandlock profile %s%s%s",
			    verb->name, verb->name, verb->argument ? " " : "",
			    verb->argument ? verb->argument : "");
	if (words->kind && !verb->takes_kind)
		return fail(0, "profile %s: --for is an option of profile new",
			    verb->name);
	return verb->run(arena, words);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct profile_words words = {
		.argument = argc > 1 ? argv[1] : NULL,
		.kind = ((const struct options *)options)->kind,
	};
	struct nearest near = nearest_to(argv[0], strlen(argv[0]));
	const char *meant;

	for (size_t i = 0; i < profile_nverbs; i++) {
		const struct profile_verb *verb = &profile_verbs[i];

		nearest_try(&near, verb->name, verb->name);
		if (streq(verb->name, argv[0]))
			return run_verb(session->arena, verb, argc, &words);
	}
	meant = nearest_found(&near);
	return fail(0,
		    "profile: unknown subcommand '%s', expected one of: "
		    "%s%s%s%s",
		    argv[0], sandlock_profile.arguments,
		    meant ? " (did you mean " : "", meant ? meant : "",
		    meant ? "?)" : "");
}

const struct command sandlock_profile = {
	.name = "profile",
	.arguments = "list | show NAME | validate FILE | new NAME [--for KIND] "
		     "| schema",
	.help = "list, show, check and create profiles",
	.options = options_of_profile,
	.noptions = COUNT(options_of_profile),
	.options_size = sizeof(struct options),
	.min_args = 1,
	.max_args = 2,
	.run = run,
	.failure = 125,
};
