/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/foreground.c - forward signals and data until a container
 * ends.
 */
#include "runtime/launch/foreground.h"

#include <errno.h>
#include <limits.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/launch/console.h"
#include "runtime/launch/sd_notify.h"

/* Faults of this process, and signals to a background process of a terminal. */
static const int left_alone[] = { SIGILL, SIGTRAP, SIGBUS,  SIGFPE, SIGSEGV,
				  SIGSYS, SIGTTIN, SIGTTOU, SIGURG };

#define TRACER_US 1000
#define GRACE_MS 2000 /* from SIGTERM to SIGKILL */

enum { POLL_SIGNALS, POLL_PIDFD, POLL_NOTIFY, POLL_FD, POLL_CONSOLE };
#define POLLS (POLL_CONSOLE + CONSOLE_POLLS)

int foreground_prepare(struct foreground *ret)
{
	sigset_t set;
	int fd;

	sigfillset(&set);
	for (size_t i = 0; i < COUNT(left_alone); i++)
		sigdelset(&set, left_alone[i]);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return fail(
			errno,
			"create a signalfd to forward signals to the program");
	if (sigprocmask(SIG_BLOCK, &set, &ret->old_mask) < 0) {
		int r = fail(errno,
			     "block the signals to forward to the program");

		close(fd);
		return r;
	}
	ret->signals = fd;
	return 0;
}

static void pass_on(const struct foreground_job *job,
		    const struct signalfd_siginfo *info)
{
	int sig = (int)info->ssi_signo;
	bool has_it = job->in_our_group && info->ssi_code == SI_KERNEL;

	/* SIGPIPE concerns this process; children are reaped anyway. */
	if (sig == SIGCHLD || sig == SIGPIPE)
		return;
	if (sig == SIGWINCH && job->console) {
		console_resize(job->console);
		return;
	}
	/* The job may just have ended, or now runs as another user. */
	if (!has_it && sys_pidfd_send_signal(job->pidfd, sig) < 0 &&
	    errno != ESRCH)
		log_warning("cannot forward signal %d to the program: %s", sig,
			    errno_text(errno));
	/* The shell waits for this process to stop. */
	if (sig == SIGTSTP && job->forward_tstp)
		(void)raise(SIGSTOP);
}

/* ---- time ---- */

struct deadline {
	uint64_t at; /* 0: never */
	bool passed; /* SIGTERM was sent */
};

/* The timeout for poll: the time left, or the other timeout if shorter. */
static int time_left(const struct deadline *deadline, int other)
{
	uint64_t now = (uint64_t)now_ms(), left;

	if (!deadline->at)
		return other;
	left = deadline->at > now ? deadline->at - now : 0;
	if (left > INT_MAX)
		left = INT_MAX;
	return other >= 0 && (uint64_t)other < left ? other : (int)left;
}

static void hurry(const struct foreground_job *job, struct deadline *deadline)
{
	if (!deadline->at || (uint64_t)now_ms() < deadline->at)
		return;
	(void)sys_pidfd_send_signal(job->pidfd,
				    deadline->passed ? SIGKILL : SIGTERM);
	deadline->passed = true;
	deadline->at += GRACE_MS;
}

static void take_signals(int fd, const struct foreground_job *job)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) == sizeof info)
		if (job)
			pass_on(job, &info);
}

static bool is_end(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
	       info->si_code == CLD_DUMPED;
}

static int status_of(const struct foreground_job *job, const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return info->si_status;
	if (job->signal)
		*job->signal = info->si_status;
	return 128 + info->si_status;
}

/*
 * Reap all children, also those that a subreaper inherits. Return true if the
 * job was one of them.
 */
static bool reap(const struct foreground_job *job, int *ret_status)
{
	siginfo_t info = { .si_pid = 0 };
	bool ended = false;

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL) == 0 &&
	       info.si_pid > 0) {
		if (job->traced)
			job->traced(job->user, &info);
		if (info.si_pid == job->pid && is_end(&info)) {
			ended = true;
			*ret_status = status_of(job, &info);
		}
		info.si_pid = 0;
	}
	return ended;
}

/*
 * The kernel reports the end of a traced process to its tracer first; wait
 * until the tracer has detached.
 */
static bool is_traced(const struct foreground_job *job)
{
	siginfo_t info;

	if (waitid(P_PIDFD, (id_t)job->pidfd, &info,
		   WEXITED | WNOHANG | WNOWAIT | __WALL) < 0)
		return false;
	usleep(TRACER_US);
	return true;
}

static int wait_for_something(const struct foreground *foreground,
			      const struct foreground_job *job,
			      const struct deadline *deadline, int notify,
			      struct pollfd fds[POLLS])
{
	int timeout = -1;

	for (int i = 0; i < POLLS; i++)
		fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	fds[POLL_SIGNALS].fd = foreground->signals;
	fds[POLL_PIDFD].fd = job->pidfd;
	fds[POLL_NOTIFY].fd = notify;
	fds[POLL_FD].fd = job->on_readable ? job->fd : -1;
	if (job->console)
		timeout = console_poll(job->console, fds + POLL_CONSOLE);
	if (poll(fds, POLLS, time_left(deadline, timeout)) >= 0)
		return 0;
	if (errno != EINTR)
		return fail(errno, "wait for the program to end");
	for (int i = 0; i < POLLS; i++)
		fds[i].revents = 0;
	return 0;
}

int foreground_wait(const struct foreground *foreground,
		    const struct foreground_job *job, int *ret_status)
{
	int notify = job->notify ? job->notify->inside : -1;
	struct deadline deadline = { 0 };
	struct pollfd fds[POLLS];

	if (job->timeout_ms)
		deadline.at = (uint64_t)now_ms() + job->timeout_ms;
	for (;;) {
		int r = wait_for_something(foreground, job, &deadline, notify,
					   fds);

		if (r < 0)
			return r;
		hurry(job, &deadline);
		if (fds[POLL_SIGNALS].revents)
			take_signals(foreground->signals, job);
		if (fds[POLL_NOTIFY].revents) {
			r = sd_notify_receive(job->notify, job->pid);
			if (r < 0)
				log_warning("%s", err_text());
			if (r != 0)
				notify = -1;
		}
		if (fds[POLL_FD].revents)
			job->on_readable(job->ctx);
		if (job->console)
			console_relay(job->console, fds + POLL_CONSOLE);
		if (reap(job, ret_status))
			break;
		if (fds[POLL_PIDFD].revents && !is_traced(job))
			return fail(ECHILD, "wait for process %d, the program",
				    job->pid);
	}
	if (job->console)
		console_drain(job->console);
	if (deadline.passed)
		*ret_status = FOREGROUND_TIMEOUT;
	return 0;
}

void foreground_end(struct foreground *foreground)
{
	if (foreground->signals < 0)
		return;
	take_signals(foreground->signals, NULL);
	(void)sigprocmask(SIG_SETMASK, &foreground->old_mask, NULL);
	closep(&foreground->signals);
}
