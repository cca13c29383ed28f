/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/stay.c - become the supervisor of a container, and wait
 * for its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/sys.h"
#include "confine/host.h"
#include "control/event.h"
#include "control/sandbox.h"
#include "runtime/container/create.h"
#include "runtime/supervisor/confine.h"
#include "runtime/supervisor/guard.h"
#include "runtime/supervisor/memory.h"
#include "runtime/supervisor/network.h"
#include "runtime/supervisor/service.h"
#include "runtime/supervisor/supervisor.h"

#define ARENA_SIZE (4UL << 20) /* mapped; touched only when used */

void supervisor_close(struct supervisor *s)
{
	while (s->nopen > 0) {
		const struct supervisor_service *service =
			supervisor_services[--s->nopen];

		if (service->close)
			service->close(s);
	}
	closep(&s->ready);
	closep(&s->caller_stderr);
	closep(&s->dir);
	if (s->guard_source >= 0)
		loop_remove(s->loop, s->guard_source);
	s->guard_source = -1;
	guard_end(s);
	closep(&s->init);
	arena_close(&s->arena);
}

static int open_services(struct supervisor *s, struct creation *c)
{
	int r = arena_open(&s->arena, ARENA_SIZE);

	if (r < 0)
		return r;
	s->init_pid = c->launch.pid;
	s->init = fcntl(c->launch.pidfd, F_DUPFD_CLOEXEC, 3);
	s->dir = fcntl(c->container.dir, F_DUPFD_CLOEXEC, 3);
	if (s->init < 0 || s->dir < 0)
		return fail(errno, "keep descriptors for the supervisor");
	for (size_t i = 0; i < supervisor_nservices; i++) {
		r = supervisor_services[i]->open(s, c);
		if (r < 0)
			return fail_in(r, "%s", supervisor_services[i]->name);
		s->nopen++;
	}
	return 0;
}

int supervisor_open(struct supervisor *s, struct creation *c)
{
	int r = create_make_supervisor(c);

	s->loop = &s->own_loop;
	return r < 0 ? r : open_services(s, c);
}

void supervisor_end_container(struct supervisor *s, const char *why)
{
	const struct event event = event_ended(why);

	log_notice("kill the container: %s", why);
	if (s->control)
		control_sandbox_publish(s->control, &event);
	(void)sys_pidfd_send_signal(s->init, SIGKILL);
}

static int init_ended(void *ctx, short revents)
{
	struct supervisor *s = ctx;
	siginfo_t info = { .si_pid = 0 };

	(void)revents;
	/* Not reaped: its next parent shall get the status. */
	if (waitid(P_PIDFD, (id_t)s->init, &info,
		   WEXITED | WNOWAIT | WNOHANG) == 0 &&
	    info.si_pid == 0)
		return 0;
	s->code = info.si_code;
	s->status = info.si_status;
	loop_end(s->loop, 0);
	return 0;
}

/* It ends when init does, and is killed with it. */
static int guard_ended(void *ctx, short revents)
{
	struct supervisor *s = ctx;
	struct pollfd init = { .fd = s->init, .events = POLLIN };

	(void)revents;
	loop_remove(s->loop, s->guard_source);
	s->guard_source = -1;
	if (poll(&init, 1, 0) == 0)
		supervisor_end_container(s, "the supervisor's guard was "
					    "killed");
	return 0;
}

static int watch_guard(struct supervisor *s)
{
	s->guard_source =
		loop_add(s->loop, s->guard_pidfd, POLLIN, guard_ended, s);
	return s->guard_source < 0 ? s->guard_source : 0;
}

int supervisor_attach(struct supervisor *s, struct creation *c,
		      struct loop *loop)
{
	int r;

	s->loop = loop;
	r = open_services(s, c);
	if (r >= 0)
		r = guard_start_alone(s);
	return r < 0 ? r : watch_guard(s);
}

/* A container without its guard would end as soon as it is reported. */
static int check_guard(const struct supervisor *s)
{
	struct pollfd guard = { .fd = s->guard_pidfd, .events = POLLIN };

	return poll(&guard, 1, 0) > 0 ?
		       fail(0, "the supervisor's guard was killed") :
		       0;
}

/* Nothing of the caller stays open: it may wait for the end of its pipes. */
static int leave_caller(struct supervisor *s)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return fail(errno, "open /dev/null");
	s->caller_stderr = fcntl(2, F_DUPFD_CLOEXEC, 3);
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(null, fd) < 0)
			return fail(errno,
				    "replace descriptor %d of the supervisor",
				    fd);
	(void)setsid();
	(void)umask(077);
	supervisor_close_others(s);
	return chdir("/") < 0 ?
		       fail(errno, "change the supervisor's directory to /") :
		       0;
}

static int wait_for_events(struct supervisor *s)
{
	int r = loop_add(s->loop, s->init, POLLIN, init_ended, s);

	return r < 0 ? r : watch_guard(s);
}

static int report(struct supervisor *s)
{
	static const char byte = 1;

	closep(&s->caller_stderr);
	if (write(s->ready, &byte, 1) != 1)
		return fail(errno, "report to the command that created the "
				   "container");
	closep(&s->ready);
	return 0;
}

/* Give back what only the creation needs. */
static void forget(struct creation *c)
{
	struct arena *arena = c->prepared->arena;

	create_close(c);
	create_forget((struct prepared *)c->prepared);
	arena_close(arena);
	memory_drop();
}

static _Noreturn void give_up(struct supervisor *s, int status)
{
	if (s->caller_stderr >= 0)
		(void)dup3(s->caller_stderr, 2, 0);
	log_error(err_text());
	(void)sys_pidfd_send_signal(s->init, SIGKILL);
	_exit(status);
}

static _Noreturn void finish(struct supervisor *s)
{
	guard_end(s);
	supervisor_close(s);
	_exit(0);
}

void supervisor_stay(struct supervisor *s, struct creation *c)
{
	struct landlock_host landlock =
		*host_landlock(c->prepared->session->host);
	const struct confine_network *network = network_needs(s->network);
	int r;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)prctl(PR_SET_NAME, "sandlock-superv", 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	create_enter_supervisor(c, getpid());
	forget(c);
	/* The command exits soon; that shall not kill this process. */
	r = prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) < 0 ?
		    fail(errno, "let the supervisor outlive its command") :
		    leave_caller(s);
	if (r >= 0)
		r = guard_start(s);
	if (r >= 0)
		r = wait_for_events(s);
	if (r >= 0)
		r = confine_supervisor(&landlock, s->dir, network);
	if (r >= 0)
		r = check_guard(s);
	if (r < 0)
		give_up(s, EXIT_FAILURE);
	/* The caller's standard error is closed: the command prints an error. */
	if (report(s) < 0)
		give_up(s, 0);
	if (loop_run(s->loop) < 0)
		give_up(s, EXIT_FAILURE);
	finish(s);
}
