/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/explain.c - print what enforces the policy of a container. */
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/container/container.h"
#include "runtime/diagnose/explain.h"
#include "runtime/sandlock-oci/commands.h"

struct explain_options {
	bool json;
	const char *path;
};

static const struct option_spec explain_options[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct explain_options, json), NULL,
	  "print JSON" },
	{ "path", 0, OPTION_TEXT, offsetof(struct explain_options, path),
	  "PATH", "only say what denies this path of the container, and why" },
};

static int print(struct arena *arena, const struct explain_options *o,
		 const struct explanation *all)
{
	if (o->path && all->refusal)
		return fail(0, "create would refuse the bundle: %s",
			    all->refusal);
	if (o->path && all->unresolved)
		return fail(0, "%s", all->unresolved);
	if (o->path)
		return o->json ? explain_print_path_json(arena, all) :
				 explain_print_path(arena, all);
	if (o->json)
		return explain_print_json(arena, all);
	explain_print(arena, all);
	return 0;
}

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
	if (o->path && o->path[0] != '/')
		return fail(0, "--path %s: not an absolute path", o->path);
	if (is_container(session, argv[0]))
		r = explain_bundle(session, NULL, argv[0], o->path, &all);
	else if (stat(argv[0], &st) < 0)
		return fail(0,
			    "%s: there is neither a container nor a bundle of "
			    "this name",
			    argv[0]);
	else
		r = explain_bundle(session, argv[0], NULL, o->path, &all);
	if (r >= 0)
		r = print(session->arena, o, &all);
	create_forget(&all.prepared);
	return r < 0 ? r : all.refusal != NULL;
}

const struct command command_explain = {
	.name = "explain",
	.arguments = "BUNDLE | ID [--json] [--path PATH]",
	.help = "show what enforces the policy of a bundle or container",
	.options = explain_options,
	.noptions = COUNT(explain_options),
	.options_size = sizeof(struct explain_options),
	.min_args = 1,
	.max_args = 1,
	.run = explain,
	.failure = 1,
};
