/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/update.c - update: change the policy of a sandbox. */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/profile_find.h"
#include "runtime/cli/help.h"
#include "runtime/cli/options.h"
#include "runtime/container/state_dir.h"
#include "runtime/container/update.h"
#include "runtime/sandbox/collect.h"
#include "runtime/sandbox/request.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/lookup.h"

struct update_options {
	const char *policy;
};

static const struct option_spec options_known[] = {
	{ "policy", 0, OPTION_TEXT, offsetof(struct update_options, policy),
	  "FILE", "take the keys of this profile" },
};

/* A file without a slash is one in the current directory, not a profile. */
static int load_file(struct arena *arena, const char *path,
		     const struct policy_place *place, struct policy *ret)
{
	static const char *const nowhere[] = { NULL };
	const char *file =
		strchr(path, '/') ? path : arena_printf(arena, "./%s", path);
	int r = file ? profile_load(arena, file, nowhere, place, ret, NULL) :
		       -ENOMEM;

	return r < 0 ? fail_in(r, "--policy") : 0;
}

/* Print usage, and the flags of keys that can change. */
static int print_help(struct arena *arena)
{
	const char *keys;
	int r = policy_help_live(arena, &keys);

	if (r < 0)
		return r;
	printf("usage: sandlock update %s\n\n%s\n\noptions:\n",
	       sandlock_update.arguments, sandlock_update.help);
	help_options(options_known, COUNT(options_known));
	printf("\npolicy:\n%s", keys);
	return 0;
}

/* 1: parsed; 0: help was printed. */
static int parse(struct arena *arena, int argc, char **argv, const char **name,
		 struct policy *ret)
{
	struct update_options options = { 0 };
	struct policy flags = { 0 };
	struct request caller = { 0 };
	struct policy_place place;
	struct policy_flags *given;
	struct flag_owner owner;
	struct option_table table = {
		.program = "sandlock",
		.command = "update",
		.items = options_known,
		.n = COUNT(options_known),
		.letters = true,
		.owner = &owner,
	};
	struct arguments args;
	int r = request_open(arena, &caller);

	if (r < 0)
		return r;
	place = request_place(&caller);
	given = policy_flags_open(arena, &place);
	if (!given)
		return -ENOMEM;
	owner = policy_flags_owner(given);
	r = options_parse(arena, &table, argc, argv, &options, &args);
	if (r < 0 || args.help)
		return r < 0 ? r : print_help(arena);
	if (args.argc != 1)
		return fail(0,
			    "update: takes one NAME, usage: sandlock update %s",
			    sandlock_update.arguments);
	*name = args.argv[0];
	if (options.policy)
		r = load_file(arena, options.policy, &place, ret);
	if (r >= 0)
		r = policy_flags_close(given, &flags);
	policy_layer(ret, &flags);
	return r < 0 ? r : 1;
}

static bool is_empty(const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy->set[key])
			return false;
	return true;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	struct policy change = { 0 };
	struct update update;
	const char *name = NULL;
	int r = parse(session->arena, argc, argv, &name, &change);

	(void)options;
	if (r <= 0)
		return r;
	if (is_empty(&change))
		return fail(0, "update: nothing to change: give flags of the "
			       "policy, such as --memory 1G, or --policy FILE");
	collect_all(session);
	if ((r = sandlock_find(session, name, &c)) < 0 ||
	    (r = state_dir_lock(&c, STATE_DIR_LOCK_SECONDS)) < 0 ||
	    (r = update_open(session, &c, &update)) < 0)
		return r;
	return update_policy(&update, &change);
}

const struct command sandlock_update = {
	.name = "update",
	.arguments = "[--policy FILE] [policy] NAME",
	.help = "change the limits of a running sandbox",
	.min_args = 1,
	.max_args = 1,
	.options = options_known,
	.noptions = COUNT(options_known),
	.own_words = true,
	.run = run,
	.failure = 125,
};
