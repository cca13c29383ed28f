/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/kill.c - kill: signal a sandbox. */
#include <errno.h>

#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/kill.h"
#include "runtime/sandbox/collect.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/lookup.h"

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	int sig, r;

	(void)options;
	sig = kill_parse(argc > 1 ? argv[1] : "TERM");
	if (sig < 0)
		return sig;
	collect_all(session);
	r = sandlock_find(session, argv[0], &c);
	if (r < 0)
		return r;
	r = kill_signal(session->arena, &c, sig, /* all= */ false);
	if (r == -ESRCH)
		return fail(0, "the sandbox '%s' is no longer running",
			    argv[0]);
	return r;
}

const struct command sandlock_kill = {
	.name = "kill",
	.arguments = "NAME [SIGNAL]",
	.help = "send a signal (default: TERM) to a sandbox",
	.min_args = 1,
	.max_args = 2,
	.stop_at_args = true,
	.run = run,
	.failure = 125,
};
