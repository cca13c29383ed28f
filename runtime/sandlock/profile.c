/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/profile.c - profile: list, show, validate and create
 * profiles.
 */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/nearest.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/profile_find.h"
#include "policy/profile_starter.h"
#include "runtime/cli/quote.h"
#include "runtime/sandbox/request.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/profile_files.h"

static int list(struct arena *arena, const char *name)
{
	struct profile_list profiles;
	int r = profile_list(arena, &profiles);

	(void)name;
	for (size_t i = 0; r >= 0 && i < profiles.n; i++) {
		const char *shown = quote_shown(arena, profiles.items[i].name);
		const char *path = quote_shown(arena, profiles.items[i].path);

		if (!shown || !path)
			return -ENOMEM;
		printf("%-*s  %s\n", (int)profiles.width, shown, path);
	}
	return r;
}

/* Show the policy of `run -p NAME`. */
static int show(struct arena *arena, const char *name)
{
	const struct request_wishes wishes = { .profile = name };
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
static int validate(struct arena *arena, const char *path)
{
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

static int begin(struct arena *arena, const char *name)
{
	const char *text, *path;
	int r = profile_starter(arena, name, &text);

	if (r >= 0)
		r = profile_create(arena, name, text, &path);
	if (r < 0)
		return r;
	printf("%s\n", path);
	return 0;
}

static int print_schema(struct arena *arena, const char *name)
{
	const char *text;
	int r = policy_schema(arena, &text);

	(void)name;
	if (r < 0)
		return r;
	puts(text);
	return 0;
}

const struct profile_verb profile_verbs[] = {
	{ "list", NULL, "list profiles and their files", list },
	{ "show", "NAME", "print a profile as sandlock understands it", show },
	{ "validate", "FILE",
	  "check a profile, pyproject.toml, uv.toml or settings.json",
	  validate },
	{ "new", "NAME", "create a profile in the user's directory", begin },
	{ "schema", NULL, "print the JSON schema of a profile", print_schema },
};
const size_t profile_nverbs = COUNT(profile_verbs);

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct nearest near = nearest_to(argv[0], strlen(argv[0]));
	const char *meant;

	(void)options;
	for (size_t i = 0; i < profile_nverbs; i++) {
		const struct profile_verb *verb = &profile_verbs[i];

		nearest_try(&near, verb->name, verb->name);
		if (!streq(verb->name, argv[0]))
			continue;
		if (argc != (verb->argument ? 2 : 1))
			return fail(0,
				    "profile %s: wrong number of arguments, "
				    "usage: sandlock profile %s%s%s",
				    verb->name, verb->name,
				    verb->argument ? " " : "",
				    verb->argument ? verb->argument : "");
		return verb->run(session->arena, argv[1]);
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
	.arguments = "list | show NAME | validate FILE | new NAME | schema",
	.help = "list, show, check and create profiles",
	.min_args = 1,
	.max_args = 2,
	.run = run,
	.failure = 125,
};
