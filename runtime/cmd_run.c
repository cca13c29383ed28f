/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cmd_run.c - create, start, wait, delete: one command for people and builders. */
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/console.h"
#include "runtime/creation.h"
#include "runtime/deleting.h"
#include "runtime/foreground.h"
#include "runtime/notify.h"
#include "runtime/starting.h"

#define LOCK_SECONDS 10

/* Everything a foreground run holds besides the container itself. */
struct front {
	struct foreground foreground;
	struct console console;
	struct notify notify;
	bool has_console;
};

#define FRONT_NONE                                                          \
	{                                                                   \
		.foreground = FOREGROUND_NONE, .console = CONSOLE_NONE,     \
		.notify = NOTIFY_NONE,                                      \
	}

static void front_close(struct front *front)
{
	console_close(&front->console);
	notify_close(&front->notify);
	foreground_end(&front->foreground);
}

static int start_program(struct creation *c, struct front *front)
{
	int r;

	if (c->notify_host) {
		r = notify_open(c->container.dir, c->notify_host,
				&front->notify);
		if (r < 0)
			return r;
	}
	r = creation_keep(c);
	if (r < 0)
		return r;
	r = launch_until(&c->launch, WORD_EXEC);
	if (r < 0)
		return r;
	r = starting_after(c->globals, &c->container, &c->spec);
	if (r < 0)
		return r;
	/* From here on the container stands on its own record. */
	c->kept = true;
	c->launch.kept = true;
	reserve_unlock(&c->container);
	return 0;
}

static int open_console(struct creation *c, struct front *front)
{
	int r;

	if (c->launch.console < 0 || c->options->detach)
		return 0;
	r = console_open(take_fd(&c->launch.console), &front->console);
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
	return r < 0 ? r : deleting_remove(c->arena, &c->container);
}

static int wait_for_program(struct creation *c, struct front *front)
{
	struct foreground_job job = {
		.pid = c->launch.pid,
		.pidfd = c->launch.pidfd,
		.console = front->has_console ? &front->console : NULL,
		.notify = front->notify.inside >= 0 ? &front->notify : NULL,
	};
	int status, r;

	r = foreground_wait(&front->foreground, &job, &status);
	if (r < 0)
		return r;
	if (c->options->keep)
		return status;
	r = remove_container(c);
	return r < 0 ? r : status;
}

static int run_bundle(struct creation *c, const char *id)
{
	AUTO(front_close) struct front front = FRONT_NONE;
	int r;

	r = creation_plan(c, id, /* has_gate= */ false);
	if (r < 0)
		return r;
	r = starting_protect(&c->spec, c->in.preserve_fds + c->in.listen_fds);
	if (r < 0)
		return r;
	if (!c->options->detach) {
		r = foreground_prepare(&front.foreground);
		if (r < 0)
			return r;
		/* What the program leaves behind is ours to reap. */
		if (!c->options->no_subreaper)
			(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	}
	r = creation_build(c);
	if (r < 0)
		return r;
	r = open_console(c, &front);
	if (r < 0)
		return r;
	r = start_program(c, &front);
	if (r < 0)
		return r;
	if (!c->options->detach)
		return wait_for_program(c, &front);
	if (front.notify.inside >= 0)
		return notify_relay(&front.notify, c->launch.pid,
				    c->launch.pidfd);
	return 0;
}

static int run(const struct globals *globals, const void *options, int argc,
	       char **argv)
{
	struct creation_options o = *(const struct creation_options *)options;
	autocreation struct creation c = CREATION_NONE;
	const char *id;
	int r;

	r = creation_arguments(globals->arena, &o, argc, argv, &id);
	if (r < 0)
		return r;
	c.arena = globals->arena;
	c.globals = globals;
	c.options = &o;
	return run_bundle(&c, id);
}

const struct command command_run = {
	.name = "run",
	.arguments = "[options] ID | BUNDLE",
	.help = "create and start a container, wait for it, delete it",
	.options = creation_option_table,
	.noptions = RUN_OPTIONS,
	.options_size = sizeof(struct creation_options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
