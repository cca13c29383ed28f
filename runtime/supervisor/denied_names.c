/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/denied_names.c - the service that covers denied names again
 * after a process outside has replaced them.
 */
#include <errno.h>

#include "base/err.h"
#include "base/util.h"
#include "confine/covered.h"
#include "control/event.h"
#include "runtime/container/create.h"
#include "runtime/supervisor/service.h"
#include "runtime/supervisor/supervisor.h"

struct denied_names {
	struct supervisor *supervisor;
	struct covered covered;
	int task;
	int source; /* of the loop */
};

/* With the rights of the guard: mounts, and files of the host. */
static int cover_again(void *ctx, uint32_t argument)
{
	struct denied_names *names = ctx;

	(void)argument;
	return covered_again(&names->covered);
}

static void report_covered(struct denied_names *names)
{
	const struct covered_name *name;

	while ((name = covered_report(&names->covered))) {
		const struct event event = event_covered(name->path);

		supervisor_publish(names->supervisor, &event);
	}
}

static int on_changes(void *ctx, short revents)
{
	struct denied_names *names = ctx;
	struct supervisor *s = names->supervisor;
	int r = covered_take_events(&names->covered);

	(void)revents;
	if (r == 0)
		return 0;
	names->covered.why[0] = '\0';
	if (r > 0)
		r = supervisor_task_run(s, names->task, 0);
	report_covered(names);
	if (r >= 0)
		return 0;
	loop_remove(s->loop, names->source);
	supervisor_end_container(s, names->covered.why[0] ?
					    names->covered.why :
					    "denied paths could not be covered "
					    "again");
	return 0;
}

static int keep_all(struct supervisor *s, const struct covered *c)
{
	const int fds[] = { c->proc,  c->root,	   c->userns,	  c->mntns,
			    c->state, c->workshop, c->masks.tree, c->events };
	int r = 0;

	for (size_t i = 0; r == 0 && i < COUNT(fds); i++)
		if (fds[i] >= 0)
			r = supervisor_keep(s, fds[i]);
	return r;
}

/* A command that waits for the program watches the names by itself. */
static int open_names(struct supervisor *s, struct creation *c)
{
	struct denied_names *names;
	int r;

	if (c->covered.events < 0 || !c->has_supervisor)
		return 0;
	names = arena_alloc(&s->arena, sizeof *names);
	if (!names)
		return -ENOMEM;
	/* The guard is another process, and cannot make them for us later. */
	r = covered_make_masks(&c->covered);
	if (r < 0)
		return r;
	*names =
		(struct denied_names){ .supervisor = s, .covered = c->covered };
	c->covered = (struct covered)COVERED_NONE;
	r = keep_all(s, &names->covered);
	if (r < 0)
		return r;
	names->task = supervisor_task_add(s, cover_again, names);
	if (names->task < 0)
		return names->task;
	names->source = loop_add(s->loop, names->covered.events, POLLIN,
				 on_changes, names);
	return names->source < 0 ? names->source : 0;
}

const struct supervisor_service supervisor_denied_names = {
	.name = "deny_replace",
	.open = open_names,
};
