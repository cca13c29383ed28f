/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/fork.c - the command waits while its child creates the
 * container.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/sys.h"
#include "network/network.h"
#include "runtime/container/create.h"
#include "runtime/container/delete.h"
#include "runtime/container/state_dir.h"
#include "runtime/supervisor/supervisor.h"

#define MOST_TRIES 4

/* The exit status of the child, which has printed why if it is not 0. */
static int status_of(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0)
		if (errno != EINTR)
			return fail(errno,
				    "wait for process %d, which creates the "
				    "container",
				    pid);
	if (info.si_code != CLD_EXITED)
		return fail(0,
			    "process %d, which created the container, was "
			    "killed by signal %d (%s)",
			    pid, info.si_status, strsignal(info.si_status));
	if (info.si_status == 0)
		return fail(0,
			    "process %d, which created the container, exited "
			    "before it reported that the container is ready",
			    pid);
	return info.si_status;
}

/*
 * Wait for a byte, or for the end of the child. The end of the pipe says
 * nothing: a process of the container may have a copy for an instant.
 */
static int wait_for(pid_t pid, int pidfd, int ready)
{
	struct pollfd fds[] = {
		{ .fd = ready, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
	};
	int failed = 0;
	char byte;

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return fail(errno, "wait for the supervisor");
		if (fds[0].revents & POLLIN) {
			if (read(ready, &byte, 1) == 1)
				return 0;
			if (++failed == MOST_TRIES)
				return fail(errno, "read the report of the "
						   "supervisor");
		} else if (fds[0].revents & POLLHUP) {
			fds[0].fd = -1;
		}
		if (fds[1].revents)
			return status_of(pid);
	}
}

/*
 * Delete what the child has left: nothing, unless it was killed, or failed
 * after the container was kept.
 */
static void clear(const struct prepared *p, pid_t child)
{
	autocontainer struct container c = CONTAINER_NONE;
	struct err_kept why;

	err_keep(&why);
	if (container_load(p->arena, p->session->root, p->settings.id, &c) >=
		    0 &&
	    !c.broken && c.record.maker == child &&
	    state_dir_lock(&c, STATE_DIR_LOCK_SECONDS) >= 0)
		(void)delete_container(p->arena, &c, &p->spec.hooks);
	err_restore(&why);
}

static int stand_by(const struct prepared *p, pid_t pid, int ready)
{
	autoclose int pidfd = sys_pidfd_open(pid);
	siginfo_t info;
	int r = pidfd < 0 ? fail(errno, "open a pidfd of the supervisor") :
			    wait_for(pid, pidfd, ready);

	if (r == 0)
		return 0;
	if (r < 0) {
		/* It may have been waited for; then its pid is free. */
		(void)(pidfd < 0 ? kill(pid, SIGKILL) :
				   sys_pidfd_send_signal(pidfd, SIGKILL));
		(void)waitid(P_PID, (id_t)pid, &info, WEXITED);
	}
	clear(p, pid);
	return r;
}

int supervisor_fork(struct supervisor *s, const struct prepared *p,
		    bool *ret_front)
{
	/* The child has no copy of the thread that makes a network. */
	autoclose int made = network_wait(p->network);
	pid_t front = getpid(), pid;
	autoclose int out = -1;
	int pair[2];

	(void)made;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return fail(errno, "create a pipe to the supervisor");
	out = pair[0];
	s->ready = pair[1];
	pid = fork();
	if (pid < 0)
		return fail(errno, "create the supervisor's process");
	*ret_front = pid > 0;
	if (pid == 0) {
		/* Until it is ready, it dies as the command would. */
		proc_end_with(front);
		return 0;
	}
	closep(&s->ready);
	return stand_by(p, pid, out);
}
