/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/pause.c - pause and resume: freeze and thaw a container.
 */
#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/container.h"
#include "runtime/sandlock-oci/commands.h"

static int load(const struct session *session, const char *id,
		struct container *ret, enum oci_status *ret_status)
{
	int r = container_load_sound(session->arena, session->root, id, ret);

	return r < 0 ? r : container_status(ret, ret_status);
}

static int freeze(const struct session *session, const struct container *c,
		  bool on)
{
	struct cgroup cgroup = { 0 };
	int r = cgroup_from_record(session->arena, &c->record, &cgroup);

	if (r < 0)
		return r;
	return cgroup_freeze(&cgroup, on);
}

static int pause_run(const struct session *session, const void *options,
		     int argc, char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	enum oci_status status;
	int r = load(session, argv[0], &c, &status);

	(void)options;
	(void)argc;
	if (r < 0)
		return r;
	if (status == OCI_PAUSED)
		return fail(0, "%s: container already paused", c.id);
	if (status != OCI_RUNNING && status != OCI_CREATED)
		return fail(0, "%s: container not running", c.id);
	return freeze(session, &c, true);
}

static int resume_run(const struct session *session, const void *options,
		      int argc, char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	enum oci_status status;
	int r = load(session, argv[0], &c, &status);

	(void)options;
	(void)argc;
	if (r < 0)
		return r;
	if (status != OCI_PAUSED)
		return fail(0, "%s: container not paused", c.id);
	return freeze(session, &c, false);
}

const struct command command_pause = {
	.name = "pause",
	.arguments = "ID",
	.help = "stop every process of a container",
	.min_args = 1,
	.max_args = 1,
	.run = pause_run,
	.failure = 1,
};

const struct command command_resume = {
	.name = "resume",
	.arguments = "ID",
	.help = "resume a paused container",
	.min_args = 1,
	.max_args = 1,
	.run = resume_run,
	.failure = 1,
};
