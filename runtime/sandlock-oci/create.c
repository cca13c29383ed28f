/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/create.c - create: make a container whose program waits
 * for `start`.
 */
#include "runtime/container/create.h"
#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/start.h"
#include "runtime/sandlock-oci/commands.h"
#include "runtime/sandlock-oci/shared_options.h"
#include "runtime/supervisor/supervisor.h"

static int create_supervised(struct creation *c)
{
	autosupervisor struct supervisor s = SUPERVISOR_NONE;
	bool front;
	int r = supervisor_fork(&s, c->prepared, &front);

	if (r < 0 || front)
		return r;
	c->has_supervisor = true;
	r = create_build(c);
	if (r >= 0)
		r = supervisor_open(&s, c);
	if (r >= 0)
		r = create_keep(c);
	if (r < 0)
		return r;
	supervisor_stay(&s, c);
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
		return create_dump_plan(&p);
	c.prepared = &p;
	if (p.settings.supervised)
		return create_supervised(&c);
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
