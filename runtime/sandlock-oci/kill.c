/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/kill.c - kill: signal init, or every process. */
#include <errno.h>

#include "base/auto.h"
#include "base/util.h"
#include "runtime/container/container.h"
#include "runtime/container/kill.h"
#include "runtime/sandlock-oci/commands.h"

struct kill_options {
	bool all;
};

static const struct option_spec options_known[] = {
	{ "all", 'a', OPTION_FLAG, offsetof(struct kill_options, all), NULL,
	  "signal every process; a stopped container is no error" },
};

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	const struct kill_options *o = options;
	int sig, r;

	sig = kill_parse(argc > 1 ? argv[1] : "TERM");
	if (sig < 0)
		return sig;
	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r < 0)
		return r;
	r = kill_signal(session->arena, &c, sig, o->all);
	return o->all && r == -ESRCH ? 0 : r;
}

const struct command command_kill = {
	.name = "kill",
	.arguments = "[options] ID [SIGNAL]",
	.help = "send a signal (default: TERM) to a container",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct kill_options),
	.min_args = 1,
	.max_args = 2,
	.stop_at_args = true,
	.run = run,
	.failure = 1,
};
