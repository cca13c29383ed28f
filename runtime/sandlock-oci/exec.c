/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/exec.c - exec: run another program in a container. */
#include <errno.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/pid_file.h"
#include "base/util.h"
#include "runtime/container/create.h"
#include "runtime/container/enter.h"
#include "runtime/container/update.h"
#include "runtime/launch/console.h"
#include "runtime/launch/foreground.h"
#include "runtime/sandlock-oci/commands.h"
#include "runtime/sandlock-oci/exec_process.h"

static int check_status(const struct container *c, bool ignore_paused)
{
	enum oci_status status;
	int r = container_status(c, &status);

	if (r < 0)
		return r;
	switch (status) {
	case OCI_STOPPED:
	case OCI_CREATING:
		return fail(0, "cannot exec in a stopped container");
	case OCI_PAUSED:
		if (!ignore_paused)
			return fail(0, "cannot exec in a paused container "
				       "(use --ignore-paused to override)");
		return 0;
	default:
		return 0;
	}
}

static int tell_callers(const struct exec_options *o,
			const struct launch *launch)
{
	int r = 0;

	if (o->console_socket)
		r = console_send(o->console_socket, launch->console);
	if (r >= 0 && o->pidfd_socket)
		r = console_send_pidfd(o->pidfd_socket, launch->pidfd);
	if (r >= 0 && o->pid_file)
		r = pid_file_write(o->pid_file, launch->pid);
	return r;
}

static int in_foreground(const struct exec_options *o, struct enter *enter)
{
	AUTO(foreground_end) struct foreground foreground = FOREGROUND_NONE;
	AUTO(console_close) struct console console = CONSOLE_NONE;
	bool has_console = enter->launch.console >= 0;
	struct foreground_job job = { 0 };
	int r, status;

	r = foreground_prepare(&foreground);
	if (r < 0)
		return r;
	if (has_console) {
		r = console_open(take_fd(&enter->launch.console),
				 /* input= */ true, &console);
		if (r < 0)
			return r;
	}
	r = tell_callers(o, &enter->launch);
	if (r < 0)
		return r;
	r = enter_finish(enter);
	if (r < 0)
		return r;
	job.pid = enter->launch.pid;
	job.pidfd = enter->launch.pidfd;
	job.console = has_console ? &console : NULL;
	enter->launch.kept = true;
	r = foreground_wait(&foreground, &job, &status);
	return r < 0 ? r : status;
}

static int in_background(const struct exec_options *o, struct enter *enter)
{
	int r = tell_callers(o, &enter->launch);

	if (r < 0)
		return r;
	r = enter_finish(enter);
	if (r < 0)
		return r;
	enter->launch.kept = true;
	return 0;
}

static int exec_in(const struct session *session, const struct exec_options *o,
		   int argc, char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	autoenter struct enter enter = ENTER_NONE;
	struct oci_process process;
	struct oci_spec spec;
	struct enter_options options = { .process = &process, .spec = &spec };
	int r;

	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r < 0)
		return r;
	r = check_status(&c, o->ignore_paused);
	if (r >= 0)
		r = update_finish_killed(session, &c);
	if (r < 0)
		return r;
	r = container_spec(session->arena, &c, &spec);
	if (r < 0)
		return r;
	r = exec_process_make(session->arena, &spec, o, argc - 1, argv + 1,
			      &process);
	if (r < 0)
		return r;
	r = console_check(process.terminal, o->detach, o->console_socket);
	if (r < 0)
		return r;
	/* A process file contains all variables. */
	options.env = is_set(o->process_file) ? NULL : &o->env;
	options.sub_cgroup = o->cgroup;
	options.preserve_fds = o->preserve_fds;
	r = enter_prepare(&enter, session, &c, &options);
	if (r < 0)
		return r;
	return o->detach ? in_background(o, &enter) : in_foreground(o, &enter);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct exec_options *o = options;
	int r = create_check_fds(session, o->preserve_fds);

	if (r >= 0)
		r = exec_in(session, o, argc, argv);
	return r < 0 ? fail_in(r, "exec failed") : r;
}

const struct command command_exec = {
	.name = "exec",
	.arguments = "[options] ID PROGRAM [ARGUMENTS]",
	.help = "run an additional program in a container",
	.options = exec_option_table,
	.noptions = EXEC_OPTIONS,
	.options_size = sizeof(struct exec_options),
	.min_args = 1,
	.max_args = -1,
	.enters = true,
	.stop_at_args = true,
	.run = run,
	.failure = 255,
};
