/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/foreground.c - forward signals and data until a container
 * ends.
 */
#include "runtime/launch/foreground.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/launch/console.h"
#include "runtime/launch/sd_notify.h"

/* Faults of this process, and signals to a background process of a terminal. */
static const int left_alone[] = { SIGILL, SIGTRAP, SIGBUS,  SIGFPE, SIGSEGV,
				  SIGSYS, SIGTTIN, SIGTTOU, SIGURG };

#define TRACER_US 1000
#define GRACE_MS 2000 /* from SIGTERM to SIGKILL */
#define FOREVER_MS (INT64_MAX / 4)

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

/*
 * Stop, as a shell expects after the key for that, and go on with the job. If
 * nobody could continue this process group, the kernel does not stop it.
 */
static void stop_here(const struct foreground_job *job, bool group)
{
	sigset_t stop;

	console_pause(job->console);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	(void)kill(group ? 0 : getpid(), SIGTSTP);
	(void)sigprocmask(SIG_UNBLOCK, &stop, NULL);
	(void)sigprocmask(SIG_BLOCK, &stop, NULL);
	console_resume(job->console);
	(void)sys_pidfd_send_signal(job->pidfd, SIGCONT);
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
	if (sig == SIGCONT && job->console)
		console_resume(job->console);
	/* The shell waits for this process to stop. */
	if (sig == SIGTSTP && job->console)
		stop_here(job, /* group= */ false);
	else if (sig == SIGTSTP && job->forward_tstp)
		(void)raise(SIGSTOP);
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

/* ---- what the loop calls ---- */

/* One call of foreground_wait. */
struct wait {
	const struct foreground *foreground;
	const struct foreground_job *job;
	struct loop *loop;
	int signals, pidfd, notify; /* sources of the loop; -1: none */
	int console[CONSOLE_POLLS];
	int timer;
	int64_t deadline;
	bool hurried; /* SIGTERM was sent */
	bool has_end; /* the kernel says that the job has ended */
	struct pollfd console_fds[CONSOLE_POLLS];
};

static int on_deadline(void *ctx)
{
	struct wait *wait = ctx;

	(void)sys_pidfd_send_signal(wait->job->pidfd,
				    wait->hurried ? SIGKILL : SIGTERM);
	wait->hurried = true;
	wait->deadline += GRACE_MS;
	loop_timer_set(wait->loop, wait->timer, wait->deadline);
	return 0;
}

static int on_signals(void *ctx, short revents)
{
	const struct wait *wait = ctx;

	(void)revents;
	take_signals(wait->foreground->signals, wait->job);
	return 0;
}

static int on_pidfd(void *ctx, short revents)
{
	struct wait *wait = ctx;

	(void)revents;
	wait->has_end = true;
	return 0;
}

static int on_notify(void *ctx, short revents)
{
	struct wait *wait = ctx;
	int r = sd_notify_receive(wait->job->notify, wait->job->pid);

	(void)revents;
	if (r < 0)
		log_warning("%s", err_text());
	if (r == 0)
		return 0;
	loop_remove(wait->loop, wait->notify);
	wait->notify = -1;
	return 0;
}

static int on_console(void *ctx, short revents)
{
	struct pollfd *polled = ctx;

	polled->revents = revents;
	return 0;
}

/* Add a source unless an earlier one could not be added. */
static int add(struct wait *wait, int r, int *ret_number, int fd,
	       int (*ready)(void *ctx, short revents))
{
	if (r < 0 || fd < 0)
		return r;
	r = loop_add(wait->loop, fd, POLLIN, ready, wait);
	if (r >= 0)
		*ret_number = r;
	return r;
}

static int add_console(struct wait *wait)
{
	for (size_t i = 0; i < CONSOLE_POLLS; i++) {
		int r = loop_add(wait->loop, -1, 0, on_console,
				 &wait->console_fds[i]);

		if (r < 0)
			return r;
		wait->console[i] = r;
	}
	return 0;
}

static int begin(struct wait *wait)
{
	const struct foreground_job *job = wait->job;
	int r = 0;

	r = add(wait, r, &wait->signals, wait->foreground->signals, on_signals);
	r = add(wait, r, &wait->pidfd, job->pidfd, on_pidfd);
	r = add(wait, r, &wait->notify, job->notify ? job->notify->inside : -1,
		on_notify);
	if (r >= 0 && job->console)
		r = add_console(wait);
	if (r < 0 || !job->timeout_ms)
		return r;
	wait->timer = loop_timer_add(wait->loop, on_deadline, wait);
	if (wait->timer < 0)
		return wait->timer;
	wait->deadline = now_ms() + (int64_t)(job->timeout_ms < FOREVER_MS ?
						      job->timeout_ms :
						      FOREVER_MS);
	loop_timer_set(wait->loop, wait->timer, wait->deadline);
	return 0;
}

static void end(struct wait *wait)
{
	loop_remove(wait->loop, wait->signals);
	loop_remove(wait->loop, wait->pidfd);
	loop_remove(wait->loop, wait->notify);
	for (size_t i = 0; i < CONSOLE_POLLS; i++)
		loop_remove(wait->loop, wait->console[i]);
	loop_timer_remove(wait->loop, wait->timer);
}

/* What the console waits for depends on what it could write. */
static int watch_console(struct wait *wait)
{
	struct pollfd *fds = wait->console_fds;
	int timeout = console_poll(wait->job->console, fds);

	for (size_t i = 0; i < CONSOLE_POLLS; i++)
		loop_watch(wait->loop, wait->console[i], fds[i].fd,
			   fds[i].events);
	return timeout;
}

static int turn(struct wait *wait)
{
	struct console *console = wait->job->console;
	int r;

	wait->has_end = false;
	r = loop_turn(wait->loop, console ? watch_console(wait) : -1);
	if (r < 0)
		return fail_in(r, "wait for the program to end");
	if (!console)
		return 0;
	console_relay(console, wait->console_fds);
	if (console_has_stopped(console, wait->job->pid))
		stop_here(wait->job, /* group= */ true);
	return 0;
}

int foreground_wait(const struct foreground *foreground,
		    const struct foreground_job *job, int *ret_status)
{
	struct loop own = LOOP_NONE;
	AUTO(end)
	struct wait wait = {
		.foreground = foreground,
		.job = job,
		.loop = job->loop ? job->loop : &own,
		.signals = -1,
		.pidfd = -1,
		.notify = -1,
		.console = { -1, -1, -1 },
		.timer = -1,
	};
	int r = begin(&wait);

	if (r < 0)
		return r;
	for (;;) {
		r = turn(&wait);
		if (r < 0)
			return r;
		if (reap(job, ret_status))
			break;
		if (wait.has_end && !is_traced(job))
			return fail(ECHILD, "wait for process %d, the program",
				    job->pid);
	}
	if (job->console)
		console_drain(job->console);
	if (wait.hurried)
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
