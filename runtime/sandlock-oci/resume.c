/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/resume.c - resume: thaw the processes of a container. */
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/container.h"
#include "runtime/sandlock-oci/commands.h"

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	enum oci_status status;
	int r = container_load_sound(session->arena, session->root, argv[0],
				     &c);

	(void)options;
	(void)argc;
	if (r == 0)
		r = container_status(&c, &status);
	if (r < 0)
		return r;
	if (status != OCI_PAUSED)
		return fail(0, "%s: container not paused", c.id);
	return container_freeze(session->arena, &c, /* on= */ false);
}

const struct command command_resume = {
	.name = "resume",
	.arguments = "ID",
	.help = "resume a paused container",
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
