/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/control.c - the control socket of a container. */
#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/log.h"
#include "control/event.h"
#include "control/sandbox.h"
#include "runtime/container/create.h"
#include "runtime/supervisor/service.h"
#include "runtime/supervisor/supervisor.h"

#define LINE_ARENA (1UL << 20)

static int open_control(struct supervisor *s, struct creation *c)
{
	struct control_sandbox *control =
		arena_alloc(&s->arena, sizeof *control);

	if (!control)
		return -ENOMEM;
	*control = (struct control_sandbox)CONTROL_SANDBOX_NONE;
	control->id = arena_strdup(&s->arena, c->container.id);
	control->init = s->init_pid;
	if (!control->id)
		return -ENOMEM;
	s->control = control;
	return control_sandbox_open(control, s->loop, s->dir, geteuid());
}

static void close_control(struct supervisor *s)
{
	control_sandbox_close(s->control);
	s->control = NULL;
}

void supervisor_publish(struct supervisor *s, const struct event *event)
{
	AUTO(arena_close) struct arena arena = { 0 };
	const char *line;

	if (s->control)
		control_sandbox_publish(s->control, event);
	if (log_fd() < 0 || arena_open(&arena, LINE_ARENA) < 0)
		return;
	line = event_line(&arena, event);
	if (line)
		log_record(line);
}

const struct supervisor_service supervisor_control = {
	.name = "control socket",
	.open = open_control,
	.close = close_control,
};
