/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/unsandboxed.c - decide who runs plainly, and run it. */
#include "runtime/sandbox/unsandboxed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "base/util.h"
#include "runtime/launch/foreground.h"
#include "runtime/sandbox/request.h"

#define CANNOT_EXECUTE 126
#define NOT_FOUND 127
#define SIGNALLED 128

static bool is_allowed(const struct policy *policy)
{
	return !policy->set[KEY_ALLOW_UNSANDBOXED] || policy->allow_unsandboxed;
}

int unsandboxed_decide(struct arena *arena, const struct request *request,
		       struct unsandboxed *ret)
{
	const struct policy *policy = &request->policy;
	int r;

	*ret = (struct unsandboxed){ .why = UNSANDBOXED_NO };
	r = excluded_find(arena, request, &ret->excluded);
	if (r < 0)
		return r;
	if (request->unsandboxed)
		ret->why = UNSANDBOXED_ASKED;
	else if (ret->excluded.entry)
		ret->why = UNSANDBOXED_EXCLUDED;
	if (ret->why == UNSANDBOXED_NO || is_allowed(policy))
		return 0;
	if (request->unsandboxed)
		return fail(0,
			    "--unsandboxed: refused by "
			    "program.allow_unsandboxed = false of %s",
			    policy->origin[KEY_ALLOW_UNSANDBOXED]);
	return fail(0,
		    "%s: refused, program.excluded of %s has '%s', and "
		    "program.allow_unsandboxed is false",
		    request->command.items[0], policy->origin[KEY_EXCLUDED],
		    ret->excluded.entry);
}

void unsandboxed_tell(const struct request *request,
		      const struct unsandboxed *decided)
{
	const char *command = request->command.items[0];
	const char *origin = request->policy.origin[KEY_EXCLUDED];

	if (decided->why == UNSANDBOXED_ASKED)
		log_warning("%s runs without a sandbox (--unsandboxed)",
			    command);
	else if (decided->why == UNSANDBOXED_EXCLUDED)
		log_warning("%s runs without a sandbox (program.excluded "
			    "'%s' of %s)",
			    command, decided->excluded.entry, origin);
	else if (decided->excluded.refusal)
		log_warning("%s runs in the sandbox: program.excluded of %s "
			    "does not count, as %s",
			    command, origin, decided->excluded.refusal);
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

/* Execute the path that we checked: PATH may find another file by now. */
static int become(const struct request *request,
		  const struct unsandboxed *decided)
{
	const char *const *command = request->command.items;
	const char *file = decided->why == UNSANDBOXED_EXCLUDED ?
				   decided->excluded.file :
				   command[0];
	int status;

	give_descriptors_back();
	(void)signal(SIGPIPE, SIG_DFL);
	execvp(file, (char *const *)command);
	status = errno == ENOENT ? NOT_FOUND : CANNOT_EXECUTE;
	fail(errno, "%s", command[0]);
	log_error(err_text());
	return status;
}

/* ---- waiting ---- */

static const int passed_on[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

static struct timespec time_left(uint64_t end_ms)
{
	uint64_t now = (uint64_t)now_ms();
	uint64_t left = end_ms > now ? end_ms - now : 0;

	return (struct timespec){ .tv_sec = (time_t)(left / 1000),
				  .tv_nsec = (long)(left % 1000) * 1000000 };
}

static int wait_for(pid_t pid, const struct request *request,
		    const sigset_t *set, int *ret_signal)
{
	uint64_t end = (uint64_t)now_ms() + request->timeout_ms;
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

int unsandboxed_run(const struct request *request,
		    const struct unsandboxed *decided, int *ret_signal)
{
	sigset_t set, old;
	pid_t pid;

	if (!request->json && request->timeout_ms == 0)
		return become(request, decided);
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
		_exit(become(request, decided));
	}
	return wait_for(pid, request, &set, ret_signal);
}
