/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/state.c - state: print a container and its status as
 * JSON.
 */
#include <stdio.h>

#include "base/auto.h"
#include "runtime/container/container.h"
#include "runtime/sandlock-oci/commands.h"

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	enum oci_status status;
	const char *json;
	int r;

	(void)options;
	(void)argc;
	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r < 0)
		return r;
	r = container_status(&c, &status);
	if (r < 0)
		return r;
	r = oci_state_print(session->arena, &c.record, status, &json);
	if (r < 0)
		return r;
	fputs(json, stdout);
	return 0;
}

const struct command command_state = {
	.name = "state",
	.arguments = "ID",
	.help = "print the state of a container",
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
