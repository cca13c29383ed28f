/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/start.c - start a created container. */
#include "runtime/container/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/util.h"
#include "hooks/hooks.h"
#include "runtime/container/enter.h"
#include "runtime/launch/foreground.h"
#include "runtime/launch/own_binary.h"
#include "runtime/launch/sd_notify.h"
#include "runtime/launch/stops.h"

#define END_MS 10000

static int refuse(enum oci_status status)
{
	switch (status) {
	case OCI_STOPPED:
		return fail(0, "cannot start a container that has stopped");
	case OCI_RUNNING:
		return fail(0, "cannot start an already running container");
	default:
		return fail(0, "cannot start a container that is %s",
			    oci_status_name(status));
	}
}

static int connect_gate(const struct container *container)
{
	autoclose int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr;

	if (sock < 0)
		return fail(errno,
			    "create a socket to tell the container to start");
	container_gate(container, &addr);
	if (connect(sock, (struct sockaddr *)&addr, sizeof addr) < 0) {
		enum oci_status status;
		int r;

		if (errno != ECONNREFUSED && errno != ENOENT)
			return fail(errno, "connect to the socket on which the "
					   "container waits for start");
		r = container_status(container, &status);
		if (r < 0)
			return r;
		/* Another `start` was faster and closed the gate. */
		return refuse(status == OCI_CREATED ? OCI_RUNNING : status);
	}
	return take_fd(&sock);
}

struct inside {
	const struct session *session;
	struct container *container;
	const struct oci_process *process;
};

static size_t count(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

/* In the hook's process: enter the container like the program. */
static int run_inside(const char *path, char *const *argv, char *const *envp,
		      void *arg)
{
	const struct inside *inside = arg;
	autoenter struct enter enter = ENTER_NONE;
	struct oci_process process = *inside->process;
	struct enter_options options = {
		.process = &process,
		.dies_with_us = true,
	};
	struct foreground_job job = { 0 };
	struct foreground foreground = FOREGROUND_NONE;
	int r, status;

	options.program = path;
	options.only_env = envp != (char *const *)process.env.items;
	process.terminal = false;
	process.args.items = (const char **)argv;
	process.args.n = count(argv);
	process.env.items = (const char **)envp;
	process.env.n = count(envp);
	r = enter_prepare(&enter, inside->session, inside->container, &options);
	if (r < 0)
		return fail_in(r, "run %s", path);
	r = enter_finish(&enter);
	if (r < 0)
		return fail_in(r, "run %s", path);
	job.pid = enter.launch.pid;
	job.pidfd = enter.launch.pidfd;
	r = foreground_prepare(&foreground);
	if (r < 0)
		return r;
	r = foreground_wait(&foreground, &job, &status);
	enter.launch.kept = true;
	return r < 0 ? r : status;
}

int start_protect(const struct oci_spec *spec, unsigned int preserved)
{
	const struct oci_namespace *ns = spec->linux_.namespaces;
	/*
	 * Its process can be accessed by others of its user, and so can our
	 * file.
	 */
	bool exposed = geteuid() != 0 && access("/proc/self/exe", W_OK) == 0;
	/* Processes exist there already. */
	bool shared = !ns[OCI_NS_PID].listed || ns[OCI_NS_PID].path;

	if (!exposed && !shared && !spec->hooks.at[HOOK_START_CONTAINER].n)
		return 0;
	return own_binary_protect(preserved);
}

int start_hooks_before(const struct session *session,
		       struct container *container, const struct oci_spec *spec)
{
	autoclose int proc = -1;
	struct inside inside = { session, container, spec->process };
	struct hooks_place place = {
		.env = (char *const *)spec->process->env.items,
		.run = run_inside,
		.arg = &inside,
	};
	const char *json;
	pid_t pid;
	int r;

	if (!spec->hooks.at[HOOK_START_CONTAINER].n)
		return 0;
	proc = proc_open();
	if (proc < 0)
		return proc;
	r = process_inner_pid(session->arena, proc, container->record.pid,
			      &pid);
	if (r < 0)
		return r;
	r = oci_state_for_hook(session->arena, &container->record, OCI_CREATED,
			       pid, &json);
	if (r < 0)
		return r;
	return hooks_run(&spec->hooks, HOOK_START_CONTAINER, &place, json);
}

/* The check before exec cannot cover everything; now the kernel tells. */
static int check_program(int proc, const struct container *container)
{
	struct stat own, theirs;
	char name[64];

	snprintf(name, sizeof name, "%d/exe", container->record.pid);
	if (fstatat(proc, "self/exe", &own, 0) < 0)
		return fail(errno,
			    "inspect the runtime's own binary /proc/self/exe");
	if (fstatat(proc, name, &theirs, 0) < 0) {
		if (errno == ENOENT || errno == ESRCH)
			return 0; /* it has ended already */
		return fail(errno, "inspect the container's program /proc/%s",
			    name);
	}
	if (own.st_dev != theirs.st_dev || own.st_ino != theirs.st_ino)
		return 0;
	return fail(EPERM, "the program is the runtime's own binary, which a "
			   "container cannot run");
}

/* Kill all processes and wait for init, as the caller may delete it at once. */
static void kill_container(struct arena *arena,
			   const struct container *container)
{
	autoclose int pidfd = container_pidfd(container);
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	struct cgroup cgroup = { 0 };

	if (pidfd >= 0)
		(void)sys_pidfd_send_signal(pidfd, SIGKILL);
	if (container->record.own_cgroup &&
	    cgroup_from_record(arena, &container->record, &cgroup) >= 0)
		(void)cgroup_signal(arena, &cgroup, SIGKILL);
	if (pidfd >= 0)
		(void)poll(&p, 1, END_MS);
}

/* Keep the first error, which is the one to report. */
static void end_container(struct arena *arena,
			  const struct container *container)
{
	struct err_kept why;

	err_keep(&why);
	kill_container(arena, container);
	err_restore(&why);
}

int start_after(const struct session *session, int proc,
		struct container *container, const struct oci_spec *spec)
{
	struct hooks_place here = {
		.cwd = container->record.bundle,
	};
	const char *json;
	int r;

	r = check_program(proc, container);
	if (r >= 0 && spec->hooks.at[HOOK_POSTSTART].n) {
		r = oci_state_for_hook(session->arena, &container->record,
				       OCI_RUNNING, container->record.pid,
				       &json);
		if (r >= 0)
			r = hooks_run(&spec->hooks, HOOK_POSTSTART, &here,
				      json);
	}
	if (r < 0)
		end_container(session->arena, container);
	return r;
}

static int wait_until_ready(const struct container *container,
			    const struct sd_notify *notify)
{
	autoclose int pidfd = container_pidfd(container);

	if (pidfd < 0) {
		err_clear();
		return 0;
	}
	return sd_notify_relay(notify, container->record.pid, pidfd);
}

static int let_go(const struct session *session, struct container *container,
		  const struct oci_spec *spec)
{
	autoclose int proc = proc_open();
	autolaunch struct launch launch = LAUNCH_NONE;
	AUTO(sd_notify_close) struct sd_notify notify = SD_NOTIFY_NONE;
	const char *host = getenv("NOTIFY_SOCKET");
	int r;

	if (proc < 0)
		return proc;
	launch.arena = session->arena;
	launch.spec = spec;
	launch.proc = proc;
	launch.record = &container->record;
	launch.agent_status = OCI_CREATING;
	launch.listen = enter_listen;
	launch.listens = container;
	launch.program = spec->process->args.items[0];
	launch.pid = container->record.pid;
	launch.link = connect_gate(container);
	if (launch.link < 0)
		return launch.link;
	r = start_hooks_before(session, container, spec);
	if (r < 0) {
		end_container(session->arena, container);
		return r;
	}
	if (is_set(host) &&
	    faccessat(container->dir, NOTIFY_FOLDER, F_OK, 0) == 0) {
		r = sd_notify_open(container->dir, host, &notify);
		if (r < 0)
			return r;
	}
	r = launch_go(&launch);
	if (r < 0)
		return r;
	r = launch_until(&launch, WORD_EXEC);
	if (r < 0)
		return r;
	(void)unlinkat(container->dir, "gate", 0);
	r = start_after(session, proc, container, spec);
	if (r < 0 || notify.inside < 0)
		return r;
	return wait_until_ready(container, &notify);
}

int start_open_gate(const struct session *session, struct container *container)
{
	enum oci_status status;
	struct oci_spec spec;
	int r = container_status(container, &status);

	if (r < 0)
		return r;
	if (status != OCI_CREATED)
		return refuse(status);
	r = container_spec(session->arena, container, &spec);
	if (r < 0)
		return r;
	r = start_protect(&spec, /* preserved= */ 0);
	if (r < 0)
		return r;
	return let_go(session, container, &spec);
}
