/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/attached.c - wait for the program of a container, then
 * delete the container.
 */
#include "runtime/container/attached.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "control/event.h"
#include "runtime/container/delete.h"

/* The denied names of a container, while the loop waits for its end. */
struct guard {
	struct creation *creation;
	struct attached *attached;
	int number; /* in the loop */
};

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

/*
 * Its processes were in these cgroups until now, so that nobody can have put
 * others in their place.
 */
static void remove_empty_cgroups(struct creation *c)
{
	struct oci_record *record = &c->container.record;

	if (record->own_cgroup && !record->systemd_scope &&
	    cgroup_remove_empty(&c->cgroup))
		record->own_cgroup = false;
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
	if (r < 0)
		return r;
	remove_empty_cgroups(c);
	return delete_container(p->arena, &c->container, &p->spec.hooks);
}

static void publish(const struct attached *attached, struct event event)
{
	if (attached->publish)
		attached->publish(attached->ctx, &event);
}

/* A container whose denied names are open must not run on. */
static int on_changes(void *ctx, short revents)
{
	struct guard *guard = ctx;
	struct creation *c = guard->creation;
	const struct covered_name *name;
	int r = covered_check(&c->covered);

	(void)revents;
	while ((name = covered_report(&c->covered)))
		publish(guard->attached, event_covered(name->path));
	if (r >= 0)
		return 0;
	loop_remove(&guard->attached->loop, guard->number);
	guard->attached->lost = arena_strdup(c->prepared->arena, err_text());
	err_clear();
	publish(guard->attached, event_ended(guard->attached->lost));
	if (sys_pidfd_send_signal(c->launch.pidfd, SIGKILL) < 0 &&
	    errno != ESRCH)
		return fail(errno, "kill the program, because a denied path "
				   "could not be covered again");
	return 0;
}

static int watch_names(struct guard *guard)
{
	int r;

	if (guard->creation->covered.events < 0)
		return 0;
	r = loop_add(&guard->attached->loop, guard->creation->covered.events,
		     POLLIN, on_changes, guard);
	guard->number = r;
	return r < 0 ? r : 0;
}

int attached_stay(struct creation *c, struct attached *attached)
{
	struct guard guard = { c, attached, -1 };
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
		.loop = &attached->loop,
	};
	int status, r = watch_names(&guard);

	if (r < 0)
		return r;
	r = foreground_wait(&attached->foreground, &job, &status);
	loop_remove(&attached->loop, guard.number);
	return r < 0 ? r : status;
}

int attached_clear(struct creation *c, const struct attached *attached)
{
	int r = c->prepared->options->keep ? 0 : remove_container(c);

	if (r < 0 || !attached->lost)
		return r;
	return fail(0,
		    "killed the program, because the policy could no longer be "
		    "enforced: %s",
		    attached->lost);
}

int attached_wait(struct creation *c, struct attached *attached)
{
	int status = attached_stay(c, attached);
	int r = status < 0 ? status : attached_clear(c, attached);

	return r < 0 ? r : status;
}
