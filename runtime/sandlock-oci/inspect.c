/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/inspect.c - explain and inspect: print what enforces a
 * policy, and the policy itself.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/write.h"
#include "policy/toml.h"
#include "policy/toml_json.h"
#include "runtime/container/container.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/saved.h"
#include "runtime/sandlock-oci/commands.h"

/* ---- explain ---- */

struct explain_options {
	bool json;
};

static const struct option_spec explain_options[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct explain_options, json), NULL,
	  "print JSON" },
};

/* A container wins over a directory of the same name without a slash. */
static bool is_container(const struct session *session, const char *name)
{
	autocontainer struct container c = CONTAINER_NONE;
	bool found = !strchr(name, '/') &&
		     container_load(session->arena, session->root, name, &c) >=
			     0;

	err_clear();
	return found;
}

static int explain(const struct session *session, const void *options, int argc,
		   char **argv)
{
	const struct explain_options *o = options;
	struct explanation all = { .prepared = PREPARED_NONE };
	struct stat st;
	int r;

	(void)argc;
	if (is_container(session, argv[0]))
		r = explain_bundle(session, NULL, argv[0], &all);
	else if (stat(argv[0], &st) < 0)
		return fail(0,
			    "%s: there is neither a container nor a bundle of "
			    "this name",
			    argv[0]);
	else
		r = explain_bundle(session, argv[0], NULL, &all);
	if (r >= 0 && o->json)
		r = explain_print_json(session->arena, &all);
	else if (r >= 0)
		explain_print(session->arena, &all);
	create_forget(&all.prepared);
	return r < 0 ? r : all.refusal != NULL;
}

const struct command command_explain = {
	.name = "explain",
	.arguments = "BUNDLE | ID [--json]",
	.help = "show what enforces the policy of a bundle or container",
	.options = explain_options,
	.noptions = COUNT(explain_options),
	.options_size = sizeof(struct explain_options),
	.min_args = 1,
	.max_args = 1,
	.run = explain,
	.failure = 1,
};

/* ---- inspect ---- */

struct inspect_options {
	bool toml;
	bool show_values;
};

static const struct option_spec inspect_options[] = {
	{ "toml", 0, OPTION_FLAG, offsetof(struct inspect_options, toml), NULL,
	  "print only its policy, as a profile" },
	{ "show-values", 0, OPTION_FLAG,
	  offsetof(struct inspect_options, show_values), NULL,
	  "print the values of variables as well as their names" },
};

/* Values of variables may be secrets, so the output has only the names. */
static int write_policy(struct arena *arena, const struct policy *policy,
			bool show_values, const char **ret)
{
	return show_values ? policy_to_toml(arena, policy, ret) :
			     policy_show(arena, policy, ret);
}

static int put_policy(struct writer *w, struct arena *arena, const char *key,
		      const struct policy *policy, bool show_values)
{
	const struct toml_value *tree;
	const char *text;
	int r = write_policy(arena, policy, show_values, &text);

	if (r >= 0)
		r = toml_parse(arena, text, strlen(text), &tree);
	if (r >= 0)
		toml_json_put(w, key, tree);
	return r;
}

static int print_json(struct arena *arena, const struct container *c,
		      const struct policy *policy, bool show_values)
{
	const struct policy_floor *floor;
	enum oci_status status;
	struct writer w;
	int r = container_status(c, &status);

	if (r < 0)
		return r;
	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "id", c->id);
	put_string(&w, "status", oci_status_name(status));
	put_i64(&w, "pid", c->record.pid);
	put_string(&w, "bundle", c->record.bundle);
	put_string(&w, "created", c->record.created);
	put_u64(&w, "owner", c->record.owner);
	r = put_policy(&w, arena, "policy", policy, show_values);
	put_array(&w, "enforced");
	for (floor = policy->floor; r >= 0 && floor;
	     floor = floor->policy.floor) {
		put_object(&w, NULL);
		put_string(&w, "name", floor->name);
		r = put_policy(&w, arena, "policy", &floor->policy,
			       show_values);
		put_end(&w);
	}
	put_end(&w);
	put_end(&w);
	return r < 0 ? r : writer_print(&w);
}

static int inspect(const struct session *session, const void *options, int argc,
		   char **argv)
{
	const struct inspect_options *o = options;
	autocontainer struct container c = CONTAINER_NONE;
	struct policy policy = { 0 };
	const char *text;
	int r;

	(void)argc;
	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r >= 0)
		r = container_is_enforced(&c);
	if (r > 0)
		r = enforce_load_policy(session->arena, c.dir, &policy);
	if (r < 0)
		return r;
	if (!o->toml)
		return print_json(session->arena, &c, &policy, o->show_values);
	r = write_policy(session->arena, &policy, o->show_values, &text);
	if (r >= 0)
		fputs(text, stdout);
	return r;
}

const struct command command_inspect = {
	.name = "inspect",
	.arguments = "ID [--toml] [--show-values]",
	.help = "show a container and its policy",
	.options = inspect_options,
	.noptions = COUNT(inspect_options),
	.options_size = sizeof(struct inspect_options),
	.min_args = 1,
	.max_args = 1,
	.run = inspect,
	.failure = 1,
};
