/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/run.c - run: create, start, wait and delete in one
 * command.
 */
#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/attached.h"
#include "runtime/container/create.h"
#include "runtime/container/start.h"
#include "runtime/sandlock-oci/commands.h"
#include "runtime/sandlock-oci/shared_options.h"
#include "runtime/supervisor/supervisor.h"

static int start_program(struct creation *c, struct attached *attached)
{
	const struct prepared *p = c->prepared;
	int r;

	if (p->notify_host) {
		r = sd_notify_open(c->container.dir, p->notify_host,
				   &attached->notify);
		if (r < 0)
			return r;
	}
	r = create_keep(c);
	if (r < 0)
		return r;
	r = launch_until(&c->launch, WORD_EXEC);
	if (r < 0)
		return r;
	r = start_after(p->session, p->proc, &c->container, &p->spec);
	if (r < 0)
		return r;
	create_hand_over(c);
	return 0;
}

static void publish(void *ctx, const struct event *event)
{
	supervisor_publish(ctx, event);
}

/* In the foreground this command is the supervisor, if there is one. */
static int open_services(struct supervisor *s, struct creation *c,
			 struct attached *attached)
{
	if (c->has_supervisor)
		return supervisor_open(s, c);
	if (!c->prepared->settings.supervised)
		return 0;
	attached->publish = publish;
	attached->ctx = s;
	return supervisor_attach(s, c, &attached->loop);
}

static int run_created(struct creation *c, struct attached *attached,
		       struct supervisor *s)
{
	const struct prepared *p = c->prepared;
	int r;

	r = attached_prepare(p, attached);
	if (r < 0)
		return r;
	r = create_build(c);
	if (r < 0)
		return r;
	r = open_services(s, c, attached);
	if (r < 0)
		return r;
	r = attached_open_console(c, attached);
	if (r < 0)
		return r;
	r = start_program(c, attached);
	if (r < 0)
		return r;
	if (!p->options->detach)
		return attached_wait(c, attached);
	return attached->notify.inside < 0 ?
		       0 :
		       sd_notify_relay(&attached->notify, c->launch.pid,
				       c->launch.pidfd);
}

static int run_prepared(const struct prepared *p)
{
	autocreation struct creation c = CREATION_NONE;
	/* The services use its loop, so they close first. */
	autoattached struct attached attached = ATTACHED_NONE;
	autosupervisor struct supervisor s = SUPERVISOR_NONE;
	int r;

	c.prepared = p;
	c.has_supervisor = p->settings.supervised && p->options->detach;
	if (c.has_supervisor) {
		bool front;

		r = supervisor_fork(&s, p, &front);
		if (r < 0 || front)
			return r;
	}
	r = run_created(&c, &attached, &s);
	if (r >= 0 && c.has_supervisor)
		supervisor_stay(&s, &c);
	return r;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct create_options o = *(const struct create_options *)options;
	autoprepared struct prepared p = PREPARED_NONE;
	int r;

	(void)argc;
	r = create_prepare_named(session, argv[0], /* has_gate= */ false, &o,
				 &p);
	if (r < 0)
		return r;
	/*
	 * This may start the command again, so make the plan, with warnings,
	 * later.
	 */
	if (!o.dump_plan)
		r = start_protect(&p.spec, p.settings.preserve_fds +
						   p.settings.listen_fds);
	if (r < 0)
		return r;
	r = create_plan(&p);
	if (r < 0)
		return r;
	return o.dump_plan ? create_dump_plan(&p) : run_prepared(&p);
}

const struct command command_run = {
	.name = "run",
	.arguments = "[options] ID | BUNDLE",
	.help = "create and start a container, wait for it, delete it",
	.options = create_option_table,
	.noptions = RUN_OPTIONS,
	.options_size = sizeof(struct create_options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
