/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/inspect.c - inspect: print one sandbox and its policy. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "oci/write.h"
#include "policy/toml.h"
#include "policy/toml_json.h"
#include "runtime/enforce/saved.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/lookup.h"

#define MAX_POLICY (4UL << 20)

struct inspect_options {
	bool toml;
	bool show_values;
};

static const struct option_spec options_known[] = {
	{ "toml", 0, OPTION_FLAG, offsetof(struct inspect_options, toml), NULL,
	  "print only its policy, as a profile" },
	{ "show-values", 0, OPTION_FLAG,
	  offsetof(struct inspect_options, show_values), NULL,
	  "print the values of variables as well as their names" },
};

static int read_policy(struct arena *arena, const struct container *c,
		       char **ret, size_t *ret_len)
{
	autoclose int fd =
		openat(c->dir, POLICY_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0)
		return fail(errno, "open the saved policy of the "
				   "sandbox, " POLICY_FILE);
	r = io_read_all(arena, fd, MAX_POLICY, ret, ret_len);
	return r < 0 ? fail_in(r, POLICY_FILE) : 0;
}

/* Values of variables may be secrets, so the output has only the names. */
static int hide_values(struct arena *arena, char **text, size_t *len)
{
	const struct policy_place place = { .home = "/" };
	struct policy policy = { 0 };
	const char *shown;
	int r = policy_from_toml(arena, *text, *len, POLICY_FILE, &place,
				 &policy);

	if (r >= 0)
		r = policy_show(arena, &policy, &shown);
	if (r < 0)
		return r;
	*text = arena_strdup(arena, shown);
	*len = strlen(shown);
	return *text ? 0 : -ENOMEM;
}

static int print_json(struct arena *arena, const struct container *c,
		      const struct sandbox_row *row, const char *policy,
		      size_t len)
{
	const struct toml_value *tree;
	struct writer w;
	int r = toml_parse(arena, policy, len, &tree);

	if (r < 0)
		return r;
	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "name", row->name);
	put_string(&w, "id", c->id);
	put_string(&w, "status", oci_status_name(row->status));
	put_i64(&w, "pid", row->pid);
	put_u64(&w, "age", row->age);
	put_string(&w, "created", row->created);
	put_u64(&w, "owner", c->record.owner);
	put_strings(&w, "command", &row->command);
	ports_put(&w, "ports", &row->ports);
	toml_json_put(&w, "policy", tree);
	put_end(&w);
	return writer_print(&w);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct inspect_options *o = options;
	autocontainer struct container c = CONTAINER_NONE;
	struct arena *arena = session->arena;
	struct sandbox_row row;
	char *policy;
	size_t len;
	int r;

	(void)argc;
	r = sandlock_find(session, argv[0], &c);
	if (r < 0)
		return r;
	r = read_policy(arena, &c, &policy, &len);
	if (r >= 0 && !o->show_values)
		r = hide_values(arena, &policy, &len);
	if (r < 0)
		return fail_in(r, "%s", argv[0]);
	if (o->toml) {
		fputs(policy, stdout);
		return 0;
	}
	r = sandlock_describe(arena, &c, &row);
	return r < 0 ? r : print_json(arena, &c, &row, policy, len);
}

const struct command sandlock_inspect = {
	.name = "inspect",
	.arguments = "NAME [--toml] [--show-values]",
	.help = "show a sandbox and its policy",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct inspect_options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 125,
};
