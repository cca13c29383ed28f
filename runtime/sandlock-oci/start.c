/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/start.c - start: run a created container's program. */
#include "runtime/container/start.h"
#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/state_dir.h"
#include "runtime/container/update.h"
#include "runtime/sandlock-oci/commands.h"

#define CREATE_SECONDS 10

/* `state` shows a container before its create has ended, so wait for that. */
static int load(const struct session *session, const char *id,
		struct container *ret)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r = container_load(session->arena, session->root, id, &c);

	if (r < 0)
		return r;
	if (!c.broken && c.record.kept) {
		*ret = c;
		c = (struct container)CONTAINER_NONE;
		return 0;
	}
	r = container_locked(&c) ? state_dir_lock(&c, CREATE_SECONDS) : 0;
	if (r < 0)
		return r;
	return container_load_sound(session->arena, session->root, id, ret);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r;

	(void)options;
	(void)argc;
	r = load(session, argv[0], &c);
	if (r >= 0)
		r = update_finish_killed(session, &c);
	return r < 0 ? r : start_open_gate(session, &c);
}

const struct command command_start = {
	.name = "start",
	.arguments = "ID",
	.help = "run the program of a created container",
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
