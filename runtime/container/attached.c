/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/attached.c - stay until the program ends, then clear away. */
#include "runtime/container/attached.h"

#include <errno.h>
#include <sys/prctl.h>

#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/delete.h"

#define LOCK_SECONDS 10

void front_close(struct front *front)
{
	console_close(&front->console);
	notify_close(&front->notify);
	foreground_end(&front->foreground);
}

int front_prepare(const struct creation *c, struct front *front)
{
	int r;

	if (c->options->detach)
		return 0;
	r = foreground_prepare(&front->foreground);
	if (r < 0)
		return r;
	/* What the program leaves behind is ours to reap. */
	if (!c->options->no_subreaper)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return 0;
}

int front_open_console(struct creation *c, struct front *front)
{
	int r;

	if (c->launch.console < 0 || c->options->detach)
		return 0;
	r = console_open(take_fd(&c->launch.console), !front->no_input,
			 &front->console);
	if (r < 0)
		return r;
	front->has_console = true;
	return 0;
}

static int remove_container(struct creation *c)
{
	int r = reserve_lock(&c->container, LOCK_SECONDS);

	if (r == -ENOENT) {
		/* `delete --force` was here before us. */
		err_clear();
		return 0;
	}
	return r < 0 ? r :
		       deleting_remove(c->arena, &c->container, &c->spec.hooks);
}

int front_stay(const struct creation *c, struct front *front)
{
	struct foreground_job job = {
		.pid = c->launch.pid,
		.pidfd = c->launch.pidfd,
		.console = front->has_console ? &front->console : NULL,
		.notify = front->notify.inside >= 0 ? &front->notify : NULL,
		.timeout_ms = front->timeout_ms,
		.stops_us = front->stops_us,
		.signal = front->signal,
		.traced = front->traced,
		.user = front->user,
		.heard = front->heard,
		.listener = front->listener,
		.ear = front->ear,
	};
	int status, r;

	r = foreground_wait(&front->foreground, &job, &status);
	return r < 0 ? r : status;
}

int front_clear(struct creation *c)
{
	return c->options->keep ? 0 : remove_container(c);
}

int front_wait(struct creation *c, struct front *front)
{
	int status = front_stay(c, front);
	int r = status < 0 ? status : front_clear(c);

	return r < 0 ? r : status;
}
