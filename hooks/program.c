/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/program.c - start a program, read its output, and wait for it. */
#include "hooks/program.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/util.h"
#include "hooks/copy.h"
#include "hooks/hooks.h"

#ifndef LIBEXECDIR
#define LIBEXECDIR "/usr/libexec/sandlock-oci"
#endif

/* What the new process reports on its pipe if it fails before exec. */
enum stage {
	STAGE_PLACE,
	STAGE_NAMESPACE,
	STAGE_FORK,
	STAGE_CWD,
	STAGE_EXEC,
};

static const char *const stage_names[] = {
	[STAGE_PLACE] = "connect the standard streams of",
	[STAGE_NAMESPACE] = "join a namespace for",
	[STAGE_FORK] = "create a process in the pid namespace for",
	[STAGE_CWD] = "change to the working directory for",
	[STAGE_EXEC] = "exec",
};

struct report {
	int error;
	enum stage stage;
};

enum { READ, WRITE };

#define SIGNAL_TEXT 64

struct running {
	pid_t parent, pid;
	int pidfd;
	int in;
	int out[2];
	int err[2];
	int report[2];
};

#define NOT_RUNNING                                                          \
	{                                                                    \
		.pidfd = -1, .in = -1, .out = { -1, -1 }, .err = { -1, -1 }, \
		.report = {                                                  \
			-1,                                                  \
			-1                                                   \
		}                                                            \
	}

static void reap(struct running *run, int *ret_status)
{
	while (waitpid(run->pid, ret_status, 0) < 0 && errno == EINTR)
		;
	run->pid = 0;
}

static void kill_all(const struct running *run)
{
	(void)kill(-run->pid, SIGKILL);
	(void)kill(run->pid, SIGKILL);
}

static void running_close(struct running *run)
{
	int status;

	if (run->pid > 0) {
		kill_all(run);
		reap(run, &status);
	}
	closep(&run->pidfd);
	closep(&run->in);
	for (int i = READ; i <= WRITE; i++) {
		closep(&run->out[i]);
		closep(&run->err[i]);
		closep(&run->report[i]);
	}
}

/* ---- the new process ---- */

static _Noreturn void give_up(const struct running *run, enum stage stage)
{
	struct report report = { .error = errno, .stage = stage };

	(void)write(run->report[WRITE], &report, sizeof report);
	_exit(127);
}

/* Exit in the same way as the process that replaced this one. */
static _Noreturn void end_like(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status)) {
		(void)signal(WTERMSIG(status), SIG_DFL);
		(void)raise(WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

/* Ids that the namespace does not map stay unchanged. */
static void become_root(void)
{
	(void)setgroups(0, NULL);
	(void)setresgid(0, 0, 0);
	(void)setresuid(0, 0, 0);
}

static void enter_namespaces(const struct running *run,
			     const struct hooks_place *place)
{
	bool pid_ns = false;

	for (size_t i = 0; i < place->n; i++) {
		if (setns(place->namespaces[i], place->ns_flags[i]) < 0)
			give_up(run, STAGE_NAMESPACE);
		if (place->ns_flags[i] == CLONE_NEWUSER)
			become_root();
		pid_ns |= place->ns_flags[i] == CLONE_NEWPID;
	}
	/* Only children of this process are inside a joined pid namespace. */
	if (pid_ns) {
		pid_t inner;

		/* Repeat this, because joining a user namespace resets it. */
		proc_end_with(run->parent);
		inner = fork();
		if (inner < 0)
			give_up(run, STAGE_FORK);
		if (inner > 0)
			end_like(inner);
	}
}

static void enter_place(const struct running *run,
			const struct hooks_place *place)
{
	/* Processes inside must not reach our descriptors; exec resets this. */
	(void)prctl(PR_SET_DUMPABLE, 0);
	enter_namespaces(run, place);
	if (place->cwd && chdir(place->cwd) < 0)
		give_up(run, STAGE_CWD);
}

/* Report a failure like a program does: on standard error. */
static _Noreturn void run_instead(const struct program *program,
				  const struct hooks_place *place)
{
	int r = place->run(program->path, program->argv, program->envp,
			   place->arg);

	if (r < 0)
		(void)io_write_all(2, err_text(), strlen(err_text()));
	_exit(r < 0 ? 127 : r);
}

static _Noreturn void become(const struct running *run,
			     const struct program *program)
{
	const struct hooks_place *place = program->place;
	sigset_t none;

	sigemptyset(&none);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setpgid(0, 0);
	if (dup2(run->in, 0) < 0 || dup2(run->out[WRITE], 1) < 0 ||
	    dup2(run->err[WRITE], 2) < 0)
		give_up(run, STAGE_PLACE);
	if (place)
		enter_place(run, place);
	/*
	 * Old kernels refuse this; our own descriptors are close-on-exec
	 * anyway.
	 */
	(void)sys_close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	proc_end_with(run->parent);
	if (place && place->run)
		run_instead(program, place);
	(void)execve(program->path, program->argv, program->envp);
	give_up(run, STAGE_EXEC);
}

/* ---- the parent ---- */

/* Use a file, not a pipe: a program that never reads it must not block us. */
static int open_input(const char *text)
{
	size_t len = text ? strlen(text) : 0;
	autoclose int fd =
		memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return fail(
			errno,
			"create a file for the standard input of the program");
	r = io_write_all(fd, text, len);
	if (r < 0)
		return fail(
			-r,
			"write the file for the standard input of the program");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return fail(
			errno,
			"rewind the file for the standard input of the program");
	(void)fcntl(fd, F_ADD_SEALS,
		    F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
	return take_fd(&fd);
}

static int start(const struct program *program, struct running *run)
{
	run->parent = getpid();
	run->in = open_input(program->input);
	if (run->in < 0)
		return run->in;
	if (pipe2(run->out, O_CLOEXEC) < 0 || pipe2(run->err, O_CLOEXEC) < 0 ||
	    pipe2(run->report, O_CLOEXEC) < 0)
		return fail(errno,
			    "create a pipe for the output of the program");
	if (fcntl(run->out[READ], F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(run->err[READ], F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(run->report[READ], F_SETFL, O_NONBLOCK) < 0)
		return fail(errno,
			    "make the pipes for the output of the program "
			    "non-blocking");
	run->pid = fork();
	if (run->pid < 0)
		return fail(errno, "create a process for the program");
	if (run->pid == 0)
		become(run, program);
	/* Both sides do this, so that it is done in time. */
	(void)setpgid(run->pid, run->pid);
	closep(&run->out[WRITE]);
	closep(&run->err[WRITE]);
	closep(&run->report[WRITE]);
	run->pidfd = sys_pidfd_open(run->pid);
	if (run->pidfd < 0)
		return fail(errno, "open a pidfd of the program's process");
	return 0;
}

static void tail_add(struct program_tail *tail, const char *data, size_t len)
{
	size_t keep;

	if (len > PROGRAM_TAIL) {
		data += len - PROGRAM_TAIL;
		len = PROGRAM_TAIL;
	}
	keep = tail->len + len > PROGRAM_TAIL ? PROGRAM_TAIL - len : tail->len;
	memmove(tail->text, tail->text + tail->len - keep, keep);
	memcpy(tail->text + keep, data, len);
	tail->len = keep + len;
	tail->text[tail->len] = '\0';
}

static void tail_trim(struct program_tail *tail)
{
	while (tail->len > 0 &&
	       isspace((unsigned char)tail->text[tail->len - 1]))
		tail->text[--tail->len] = '\0';
}

/* Read once; false if there is nothing to read (for now). */
static bool listen_to(int *fd, struct program_tail *tail, struct copy *copy)
{
	char data[PIPE_BUF];
	ssize_t n = *fd < 0 ? -1 : read(*fd, data, sizeof data);

	if (n > 0)
		tail_add(tail, data, (size_t)n);
	if (n > 0 && copy)
		copy_add(copy, data, (size_t)n);
	if (n == 0)
		closep(fd);
	return n > 0;
}

/* A child left behind may write forever, so read at most a full pipe. */
static void drain(int *fd, struct program_tail *tail, struct copy *copy)
{
	for (int i = 0; i < 64 && listen_to(fd, tail, copy); i++)
		;
	tail_trim(tail);
}

static int time_left(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	if (!deadline)
		return -1;
	return left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

static int wait_for_end(const struct program *program, struct running *run,
			struct program_end *end)
{
	int64_t deadline = program->timeout ?
				   now_ms() + (int64_t)program->timeout * 1000 :
				   0;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = run->pidfd, .events = POLLIN },
			{ .fd = run->out[READ], .events = POLLIN },
			{ .fd = run->err[READ], .events = POLLIN },
		};
		int n = poll(fds, 3, time_left(deadline));

		if (n < 0 && errno != EINTR)
			return fail(errno, "wait for the program to end");
		if (n < 0)
			continue;
		if (n > 0 && fds[1].revents)
			listen_to(&run->out[READ], &end->out, program->out);
		if (n > 0 && fds[2].revents)
			listen_to(&run->err[READ], &end->err, program->err);
		if (n > 0 && fds[0].revents)
			break;
		if (deadline && now_ms() >= deadline) {
			kill_all(run);
			end->timed_out = true;
			break;
		}
	}
	reap(run, &end->status);
	drain(&run->out[READ], &end->out, program->out);
	drain(&run->err[READ], &end->err, program->err);
	return 0;
}

int program_run(const struct program *program, struct program_end *ret)
{
	AUTO(running_close) struct running run = NOT_RUNNING;
	struct report report;
	int r;

	*ret = (struct program_end){ 0 };
	r = start(program, &run);
	if (r < 0)
		return fail_in(r, "run %s", program->path);
	r = wait_for_end(program, &run, ret);
	if (r < 0)
		return fail_in(r, "run %s", program->path);
	if (read(run.report[READ], &report, sizeof report) == sizeof report)
		return fail(report.error, "%s %s", stage_names[report.stage],
			    program->path);
	return 0;
}

/* Return the name of a signal like Go programs: " (bad system call)". */
static const char *signal_text(int sig, char ret[static SIGNAL_TEXT])
{
	const char *text = sig > 0 && sig <= SIGSYS ? strsignal(sig) : NULL;

	ret[0] = '\0';
	if (text)
		snprintf(ret, SIGNAL_TEXT, " (%c%s)",
			 tolower((unsigned char)*text), text + 1);
	return ret;
}

int program_find_helper(struct arena *arena, const char *name, const char *need,
			const char *instead, const char **ret)
{
	const char *dir = getenv("SANDLOCK_LIBEXEC");

	*ret = arena_printf(arena, "%s/%s", is_set(dir) ? dir : LIBEXECDIR,
			    name);
	if (!*ret)
		return -ENOMEM;
	if (access(*ret, X_OK) < 0)
		return fail(errno,
			    "%s require the program %s (install it, or %s)",
			    need, *ret, instead);
	return 0;
}

int program_check(const struct program *program, const struct program_end *end)
{
	char text[SIGNAL_TEXT];

	if (end->timed_out)
		return fail(0, "hook ran past specified timeout of %u s",
			    program->timeout);
	if (WIFSIGNALED(end->status))
		return fail(0, "killed by signal %d%s, stdout: %s, stderr: %s",
			    WTERMSIG(end->status),
			    signal_text(WTERMSIG(end->status), text),
			    end->out.text, end->err.text);
	if (WEXITSTATUS(end->status) != 0)
		/*
		 * A shell, or our process inside, adds 128 to the number of a
		 * signal.
		 */
		return fail(0, "exit status %d%s, stdout: %s, stderr: %s",
			    WEXITSTATUS(end->status),
			    signal_text(WEXITSTATUS(end->status) - 128, text),
			    end->out.text, end->err.text);
	return 0;
}
