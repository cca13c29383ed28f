/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/create.c - create: make a container whose program waits
 * for `start`.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/create.h"
#include "runtime/container/start.h"
#include "runtime/sandlock-oci/commands.h"
#include "runtime/sandlock-oci/shared_options.h"

static int dump(const struct prepared *p)
{
	struct strings rules;
	const char *text;
	int r = plan_print(p->arena, &p->plan, &text);

	if (r >= 0)
		r = plan_policy_lines(p->arena, &p->enforcement, &rules);
	if (r < 0)
		return r;
	for (size_t i = 0; i < rules.n; i++)
		printf("      policy: %s\n", rules.items[i]);
	fputs(text, stdout);
	return 0;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct create_options o = *(const struct create_options *)options;
	autoprepared struct prepared p = PREPARED_NONE;
	autocreation struct creation c = CREATION_NONE;
	int r;

	(void)argc;
	r = create_prepare_named(session, argv[0], /* has_gate= */ true, &o,
				 &p);
	if (r < 0)
		return r;
	r = create_plan(&p);
	if (r < 0)
		return r;
	if (o.dump_plan)
		return dump(&p);
	c.prepared = &p;
	r = create_build(&c);
	if (r < 0)
		return r;
	return create_keep(&c);
}

const struct command command_create = {
	.name = "create",
	.arguments = "[options] ID",
	.help = "create a container; its program waits for start",
	.options = create_option_table,
	.noptions = CREATE_OPTIONS,
	.options_size = sizeof(struct create_options),
	.min_args = 1,
	.max_args = 1,
	.enters = true,
	.run = run,
	.failure = 1,
};
