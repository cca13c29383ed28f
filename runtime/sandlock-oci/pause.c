/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/pause.c - pause and resume: freeze and thaw the processes
 * of a container.
 */
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/container.h"
#include "runtime/sandlock-oci/commands.h"

static int pause_container(const struct session *session, const void *options,
			   int argc, char **argv)
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
	if (status == OCI_PAUSED)
		return fail(0, "%s: container already paused", c.id);
	if (status != OCI_RUNNING && status != OCI_CREATED)
		return fail(0, "%s: container not running", c.id);
	return container_freeze(session->arena, &c, /* on= */ true);
}

const struct command command_pause = {
	.name = "pause",
	.arguments = "ID",
	.help = "stop every process of a container",
	.min_args = 1,
	.max_args = 1,
	.run = pause_container,
	.failure = 1,
};

static int resume_container(const struct session *session, const void *options,
			    int argc, char **argv)
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
	.run = resume_container,
	.failure = 1,
};
