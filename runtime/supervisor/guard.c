/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/guard.c - wait for the end of the supervisor or of init,
 * and run tasks meanwhile.
 *
 * The guard reads a number and an argument from the supervisor, and nothing
 * from the container. It changes nothing of its own: each task runs in a child.
 */
#include "runtime/supervisor/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/supervisor/supervisor.h"

#define MOST_TRIES 4

struct request {
	uint32_t task;
	uint32_t argument;
};

/* In a child, since a task may change namespaces; 0 or a negative errno. */
static int run_in_child(const struct supervisor_task *task, uint32_t argument)
{
	siginfo_t info = { .si_pid = 0 };
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		int r = task->run(task->ctx, argument);

		_exit(r < 0 && r >= -255 ? -r : 0);
	}
	while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0)
		if (errno != EINTR)
			return -errno;
	return info.si_code == CLD_EXITED ? -info.si_status : -EINTR;
}

static bool serve(struct supervisor *s, int link)
{
	struct request request;
	ssize_t n = recv(link, &request, sizeof request, MSG_DONTWAIT);
	int32_t result = -EINVAL;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n != (ssize_t)sizeof request)
		return false;
	if (request.task < s->ntasks)
		result =
			run_in_child(&s->tasks[request.task], request.argument);
	return send(link, &result, sizeof result, MSG_NOSIGNAL) ==
	       (ssize_t)sizeof result;
}

/* False if it fails several times: once, memory may be short. */
static bool wait_for(struct pollfd *fds, nfds_t n)
{
	int failed = 0;

	while (poll(fds, n, -1) < 0)
		if (errno != EINTR && ++failed == MOST_TRIES)
			return false;
	return true;
}

static _Noreturn void stand(struct supervisor *s, int supervisor, int link)
{
	struct pollfd fds[] = {
		{ .fd = s->init, .events = POLLIN },
		{ .fd = supervisor, .events = POLLIN },
		{ .fd = link, .events = POLLIN },
	};
	const int32_t stands = 0;

	/* The supervisor waits for this, so that no guard is lost unseen. */
	if (send(link, &stands, sizeof stands, MSG_NOSIGNAL) < 0)
		_exit(EXIT_FAILURE);
	for (;;) {
		/* One that cannot wait would not see the supervisor's end. */
		bool blind = !wait_for(fds, 3);

		if (!blind && fds[0].revents)
			_exit(0);
		if (blind || fds[1].revents) {
			(void)sys_pidfd_send_signal(s->init, SIGKILL);
			_exit(0);
		}
		/* The end of the link without that of the supervisor: wait. */
		if (fds[2].revents && !serve(s, link))
			fds[2].fd = -1;
	}
}

static int receive_result(const struct supervisor *s, int32_t *ret)
{
	ssize_t n;

	do
		n = recv(s->guard, ret, sizeof *ret, 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof *ret ?
		       0 :
		       fail(n < 0 ? errno : EPIPE,
			    "receive a message of the supervisor's guard");
}

/* In the guard: leave what belongs to the caller of a foreground command. */
static void leave(const struct supervisor *s, int self, int inside)
{
	int fds[] = { s->init, self, inside };

	(void)setsid();
	supervisor_close_but(fds, COUNT(fds));
}

static int start(struct supervisor *s, bool alone)
{
	autoclose int self = sys_pidfd_open(getpid());
	autoclose int inside = -1;
	int32_t result;
	int pair[2];
	pid_t pid;

	if (self < 0)
		return fail(errno, "open a pidfd of the supervisor");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(errno, "create a socket pair for the supervisor's "
				   "guard");
	s->guard = pair[0];
	inside = pair[1];
	pid = fork();
	if (pid < 0)
		return fail(errno, "create the supervisor's guard");
	if (pid == 0) {
		(void)prctl(PR_SET_NAME, "sandlock-guard", 0, 0, 0);
		closep(&s->guard);
		closep(&s->ready);
		closep(&s->caller_stderr);
		if (alone)
			leave(s, self, inside);
		stand(s, self, inside);
	}
	s->guard_pidfd = sys_pidfd_open(pid);
	if (s->guard_pidfd < 0)
		return fail(errno, "open a pidfd of the supervisor's guard");
	closep(&inside);
	return receive_result(s, &result);
}

int guard_start(struct supervisor *s)
{
	return start(s, /* alone= */ false);
}

int guard_start_alone(struct supervisor *s)
{
	int r = start(s, /* alone= */ true);

	closep(&s->guard);
	return r;
}

void guard_end(struct supervisor *s)
{
	siginfo_t info;

	if (s->guard_pidfd < 0)
		return;
	(void)sys_pidfd_send_signal(s->guard_pidfd, SIGKILL);
	(void)waitid(P_PIDFD, (id_t)s->guard_pidfd, &info, WEXITED);
	closep(&s->guard_pidfd);
	closep(&s->guard);
}

int supervisor_task_add(struct supervisor *s,
			int (*run)(void *ctx, uint32_t argument), void *ctx)
{
	if (s->ntasks == SUPERVISOR_TASKS)
		return fail(ENOSPC, "add more than %d tasks to the supervisor",
			    SUPERVISOR_TASKS);
	s->tasks[s->ntasks] = (struct supervisor_task){ run, ctx };
	return (int)s->ntasks++;
}

int supervisor_task_run(struct supervisor *s, int number, uint32_t argument)
{
	const struct request request = { (uint32_t)number, argument };
	int32_t result;
	int r;

	if (s->guard < 0)
		return run_in_child(&s->tasks[number], argument);
	if (send(s->guard, &request, sizeof request, MSG_NOSIGNAL) < 0)
		return fail(errno, "send a task to the supervisor's guard");
	r = receive_result(s, &result);
	return r < 0 ? r : result;
}
