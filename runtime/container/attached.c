/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/attached.c - wait for the program of a container, then
 * delete the container.
 */
#include "runtime/container/attached.h"

#include <errno.h>
#include <sys/prctl.h>

#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/delete.h"

void attached_close(struct attached *attached)
{
	console_close(&attached->console);
	sd_notify_close(&attached->notify);
	foreground_end(&attached->foreground);
}

int attached_prepare(const struct prepared *p, struct attached *attached)
{
	int r;

	if (p->options->detach)
		return 0;
	r = foreground_prepare(&attached->foreground);
	if (r < 0)
		return r;
	/* Reap processes that the program leaves behind. */
	if (!p->options->no_subreaper)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return 0;
}

int attached_open_console(struct creation *c, struct attached *attached)
{
	int r;

	if (c->launch.console < 0 || c->prepared->options->detach)
		return 0;
	r = console_open(take_fd(&c->launch.console), !attached->no_input,
			 &attached->console);
	if (r < 0)
		return r;
	attached->has_console = true;
	return 0;
}

static int remove_container(struct creation *c)
{
	const struct prepared *p = c->prepared;
	int r = state_dir_lock(&c->container, STATE_DIR_LOCK_SECONDS);

	if (r == -ENOENT) {
		/* `delete --force` was faster. */
		err_clear();
		return 0;
	}
	return r < 0 ? r :
		       delete_container(p->arena, &c->container,
					&p->spec.hooks);
}

int attached_stay(const struct creation *c, struct attached *attached)
{
	struct foreground_job job = {
		.pid = c->launch.pid,
		.pidfd = c->launch.pidfd,
		.console = attached->has_console ? &attached->console : NULL,
		.notify = attached->notify.inside >= 0 ? &attached->notify :
							 NULL,
		.timeout_ms = attached->timeout_ms,
		.forward_tstp = attached->forward_tstp,
		.signal = attached->signal,
		.traced = attached->traced,
		.user = attached->user,
		.on_readable = attached->on_readable,
		.ctx = attached->ctx,
		.fd = attached->fd,
	};
	int status, r;

	r = foreground_wait(&attached->foreground, &job, &status);
	return r < 0 ? r : status;
}

int attached_clear(struct creation *c)
{
	return c->prepared->options->keep ? 0 : remove_container(c);
}

int attached_wait(struct creation *c, struct attached *attached)
{
	int status = attached_stay(c, attached);
	int r = status < 0 ? status : attached_clear(c);

	return r < 0 ? r : status;
}
