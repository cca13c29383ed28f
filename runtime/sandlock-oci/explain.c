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
