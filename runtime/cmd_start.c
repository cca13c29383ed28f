/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cmd_start.c - open the gate. */
#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/starting.h"

static int run(const struct globals *globals, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r;

	(void)options;
	(void)argc;
	r = container_load_sound(globals->arena, globals->root, argv[0], &c);
	if (r < 0)
		return r;
	return starting_open_gate(globals, &c);
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
