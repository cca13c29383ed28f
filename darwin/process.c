/* SPDX-License-Identifier: Apache-2.0 */
/*
 * darwin/process.c - fork, apply the profile and the limits, execute, wait.
 *
 * The text of the profile goes to the kernel directly: no file is written.
 */
#include "darwin/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "oci/oci.h"

#define DEFAULT_PATH "/usr/bin:/bin:/usr/sbin:/sbin"
#define SIGNAL_STATUS 128
#define MS_PER_S 1000
#define US_PER_MS 1000

/* Of libsystem; no header of the SDK has the profile as text. */
int sandbox_init(const char *profile, uint64_t flags, char **errorbuf);

static const int passed_on[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
				 SIGUSR1, SIGUSR2, SIGCONT };

static volatile pid_t group;
static volatile sig_atomic_t is_late;

static void pass_on(int number)
{
	int saved = errno;

	if (group > 0)
		(void)kill(-group, number);
	errno = saved;
}

static void end_it(int number)
{
	(void)number;
	is_late = 1;
	pass_on(SIGKILL);
}

/* ---- the child ---- */

/* What the child sends if it cannot execute the program. */
struct failure {
	int status;
	char text[PATH_MAX + 512];
};

static _Noreturn void give_up(int to, int status)
{
	struct failure failure = { .status = status };

	snprintf(failure.text, sizeof failure.text, "%s", err_text());
	(void)io_write_all(to, (const char *)&failure, sizeof failure);
	_exit(status);
}

static int set_limits(const struct darwin_process *p)
{
	for (size_t i = 0; i < p->nrlimits; i++) {
		const struct oci_rlimit *wanted = &p->rlimits[i];
		struct rlimit limit = { .rlim_cur = wanted->soft,
					.rlim_max = wanted->hard };

		if (wanted->soft == UINT64_MAX)
			limit.rlim_cur = RLIM_INFINITY;
		if (wanted->hard == UINT64_MAX)
			limit.rlim_max = RLIM_INFINITY;
		if (setrlimit(wanted->type, &limit) < 0)
			return fail(errno, "set the limit %s",
				    oci_rlimit_name(wanted->type));
	}
	return 0;
}

static int apply_profile(const char *profile)
{
	char *why = NULL;

	if (!profile || sandbox_init(profile, 0, &why) == 0)
		return 0;
	return fail(0, "Seatbelt refuses the profile: %s",
		    why ? why : "no reason given");
}

/* The terminal follows the group, or the program would stop at it. */
static void take_terminal(void)
{
	(void)signal(SIGTTOU, SIG_IGN);
	if (isatty(STDIN_FILENO))
		(void)tcsetpgrp(STDIN_FILENO, getpgrp());
	(void)signal(SIGTTOU, SIG_DFL);
}

static void restore_signals(void)
{
	sigset_t none;

	for (size_t i = 0; i < COUNT(passed_on); i++)
		(void)signal(passed_on[i], SIG_DFL);
	(void)signal(SIGALRM, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A descriptor of the caller would reach files that the profile denies. */
static void keep_descriptors(void)
{
	int most = getdtablesize();

	for (int fd = STDERR_FILENO + 1; fd < most; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Find the program in PATH of its own environment. */
static int find_program(struct arena *arena, const struct darwin_process *p,
			const char **ret)
{
	const char *name = p->command.items[0];
	const char *path = oci_env_get(&p->env, "PATH");
	int error = ENOENT;

	*ret = name;
	if (strchr(name, '/'))
		return 0;
	path = is_set(path) ? path : DEFAULT_PATH;
	for (size_t n; *path; path += n, path += *path == ':') {
		n = strcspn(path, ":");
		*ret = arena_printf(arena, "%.*s/%s", (int)n, path, name);
		if (!*ret)
			return -ENOMEM;
		if (path[0] == '/' && access(*ret, X_OK) == 0)
			return 0;
		if (errno == EACCES)
			error = EACCES;
	}
	return fail(error, "%s: find it in PATH", name);
}

static _Noreturn void become(struct arena *arena,
			     const struct darwin_process *p, int to)
{
	const char *file;
	int r;

	(void)setpgid(0, 0);
	take_terminal();
	restore_signals();
	keep_descriptors();
	if (p->has_umask)
		(void)umask(p->umask);
	if (chdir(p->cwd) < 0) {
		fail(errno, "enter the directory %s", p->cwd);
		give_up(to, DARWIN_OUR_FAILURE);
	}
	r = find_program(arena, p, &file);
	if (r < 0)
		give_up(to, r == -ENOENT ? DARWIN_NOT_FOUND :
					   DARWIN_CANNOT_EXECUTE);
	if (set_limits(p) < 0 || apply_profile(p->profile) < 0)
		give_up(to, DARWIN_OUR_FAILURE);
	execve(file, (char *const *)p->command.items,
	       (char *const *)p->env.items);
	r = errno;
	fail(r, "%s", p->command.items[0]);
	give_up(to, r == ENOENT ? DARWIN_NOT_FOUND : DARWIN_CANNOT_EXECUTE);
}

/* ---- the parent ---- */

static void catch_signals(uint64_t timeout_ms)
{
	const struct itimerval timer = {
		.it_value = { .tv_sec = (time_t)(timeout_ms / MS_PER_S),
			      .tv_usec = (int)(timeout_ms % MS_PER_S *
					       US_PER_MS) },
	};
	struct sigaction action = { .sa_handler = pass_on };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < COUNT(passed_on); i++)
		(void)sigaction(passed_on[i], &action, NULL);
	action.sa_handler = end_it;
	(void)sigaction(SIGALRM, &action, NULL);
	if (timeout_ms)
		(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static int wait_for(pid_t pid, struct darwin_end *ret)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(errno, "wait for the program");
	(void)kill(-pid, SIGKILL);
	group = 0;
	*ret = (struct darwin_end){ .timed_out = is_late };
	if (WIFSIGNALED(status))
		ret->signal = WTERMSIG(status);
	ret->status = is_late	  ? DARWIN_TIMED_OUT :
		      ret->signal ? SIGNAL_STATUS + ret->signal :
				    WEXITSTATUS(status);
	return 0;
}

/* 0 if the program was executed: the pipe was closed by exec. */
static int read_failure(int from, struct darwin_end *end)
{
	struct failure failure;
	size_t n = 0;

	while (n < sizeof failure) {
		ssize_t got =
			read(from, (char *)&failure + n, sizeof failure - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (n < sizeof failure)
		return 0;
	end->status = failure.status;
	failure.text[sizeof failure.text - 1] = '\0';
	return fail(0, "%s", failure.text);
}

int darwin_run(struct arena *arena, const struct darwin_process *process,
	       struct darwin_end *ret)
{
	pid_t before = isatty(STDIN_FILENO) ? tcgetpgrp(STDIN_FILENO) : -1;
	autoclose int from = -1;
	int ends[2], r;
	pid_t pid;

	if (pipe(ends) < 0)
		return fail(errno, "create a pipe");
	from = ends[0];
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(arena, process, ends[1]);
	(void)close(ends[1]);
	if (pid < 0)
		return fail(errno, "create a process for the program");
	(void)setpgid(pid, pid);
	group = pid;
	catch_signals(process->timeout_ms);
	r = wait_for(pid, ret);
	if (before > 0) {
		(void)signal(SIGTTOU, SIG_IGN);
		(void)tcsetpgrp(STDIN_FILENO, before);
	}
	return r < 0 ? r : read_failure(from, ret);
}
