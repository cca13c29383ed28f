/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/unsandboxed.c - decide who runs plainly, and run it. */
#include "runtime/unsandboxed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "base/util.h"
#include "runtime/foreground.h"
#include "runtime/request.h"

#define CANNOT_EXECUTE 126
#define NOT_FOUND 127
#define SIGNALLED 128

/* By the last part of its name, or by all of it as it was written. */
static const char *find_excluded(const struct request *request)
{
	const struct oci_strings *excluded = &request->policy.excluded;
	const char *name, *slash;

	if (request->command.n == 0)
		return NULL;
	name = request->command.items[0];
	slash = strrchr(name, '/');
	for (size_t i = 0; i < excluded->n; i++)
		if (streq(excluded->items[i], name) ||
		    (slash && streq(excluded->items[i], slash + 1)))
			return excluded->items[i];
	return NULL;
}

static bool is_allowed(const struct policy *policy)
{
	return !policy->set[POLICY_ALLOW_UNSANDBOXED] ||
	       policy->allow_unsandboxed;
}

int unsandboxed_decide(const struct request *request)
{
	const struct policy *policy = &request->policy;
	const char *excluded = find_excluded(request);

	if (!excluded && !request->unsandboxed)
		return UNSANDBOXED_NO;
	if (is_allowed(policy))
		return request->unsandboxed ? UNSANDBOXED_ASKED :
					      UNSANDBOXED_EXCLUDED;
	if (request->unsandboxed)
		return fail(0,
			    "--unsandboxed: refused by "
			    "program.allow_unsandboxed = false of %s",
			    policy->origin[POLICY_ALLOW_UNSANDBOXED]);
	return fail(0,
		    "%s: refused, program.excluded of %s has '%s', and "
		    "program.allow_unsandboxed is false",
		    request->command.items[0], policy->origin[POLICY_EXCLUDED],
		    excluded);
}

void unsandboxed_tell(const struct request *request, enum unsandboxed why)
{
	const char *command = request->command.items[0];

	if (why == UNSANDBOXED_ASKED)
		log_warning("%s runs without a sandbox (--unsandboxed)",
			    command);
	else
		log_warning("%s runs without a sandbox (program.excluded "
			    "'%s' of %s)",
			    command, find_excluded(request),
			    request->policy.origin[POLICY_EXCLUDED]);
}

/* They were closed on exec for the sandbox's sake. */
static void give_descriptors_back(void)
{
	autoclosedir DIR *dir = opendir("/proc/self/fd");
	uint32_t fd;

	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.' && num_u32(e->d_name, &fd) >= 0 &&
		    (int)fd > STDERR_FILENO && (int)fd != dirfd(dir))
			(void)fcntl((int)fd, F_SETFD, 0);
}

static int become(const struct request *request)
{
	const char *const *command = request->command.items;
	int status;

	give_descriptors_back();
	(void)signal(SIGPIPE, SIG_DFL);
	execvp(command[0], (char *const *)command);
	status = errno == ENOENT ? NOT_FOUND : CANNOT_EXECUTE;
	fail(errno, "%s", command[0]);
	log_error(err_text());
	return status;
}

/* ---- waiting ---- */

static const int passed_on[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

static struct timespec time_left(uint64_t end_ms)
{
	struct timespec now;
	uint64_t now_ms, left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	left = end_ms > now_ms ? end_ms - now_ms : 0;
	return (struct timespec){ .tv_sec = (time_t)(left / 1000),
				  .tv_nsec = (long)(left % 1000) * 1000000 };
}

static uint64_t end_of(uint64_t timeout_ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 +
	       timeout_ms;
}

static int wait_for(pid_t pid, const struct request *request,
		    const sigset_t *set, int *ret_signal)
{
	uint64_t end = end_of(request->timeout_ms);
	bool timed_out = false;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct timespec left = time_left(end);
		siginfo_t info;
		int sig = request->timeout_ms && !timed_out ?
				  sigtimedwait(set, &info, &left) :
				  sigwaitinfo(set, &info);

		if (sig < 0 && errno == EAGAIN) {
			timed_out = true;
			(void)kill(pid, SIGKILL);
		}
		/* What the terminal sends has reached the command, too. */
		if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
			(void)kill(pid, sig);
	}
	if (timed_out)
		return FOREGROUND_TIMEOUT;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	*ret_signal = WTERMSIG(status);
	return SIGNALLED + WTERMSIG(status);
}

int unsandboxed_run(const struct request *request, int *ret_signal)
{
	sigset_t set, old;
	pid_t pid;

	if (!request->json && request->timeout_ms == 0)
		return become(request);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < COUNT(passed_on); i++)
		sigaddset(&set, passed_on[i]);
	(void)sigprocmask(SIG_BLOCK, &set, &old);
	pid = fork();
	if (pid < 0)
		return fail(errno, "fork");
	if (pid == 0) {
		(void)sigprocmask(SIG_SETMASK, &old, NULL);
		_exit(become(request));
	}
	return wait_for(pid, request, &set, ret_signal);
}
