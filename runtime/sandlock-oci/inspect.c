/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/inspect.c - print a container and its policy. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/write.h"
#include "policy/toml.h"
#include "policy/toml_json.h"
#include "runtime/container/container.h"
#include "runtime/enforce/saved.h"
#include "runtime/sandlock-oci/commands.h"

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
