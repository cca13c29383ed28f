/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/unsandboxed.c - decide whether a command runs without a
 * sandbox, and run it.
 */
#include "runtime/sandbox/unsandboxed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/launch/foreground.h"
#include "runtime/sandbox/request.h"

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
			    "--unsandboxed: denied by "
			    "program.allow_unsandboxed = false in %s",
			    policy->origin[KEY_ALLOW_UNSANDBOXED]);
	return fail(0,
		    "%s: denied, because program.excluded in %s lists '%s' and "
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
		log_warning("%s runs without a sandbox (program.excluded '%s' "
			    "in %s)",
			    command, decided->excluded.entry, origin);
	else if (decided->excluded.refusal)
		log_warning("%s runs in the sandbox: program.excluded in %s is "
			    "ignored because %s",
			    command, origin, decided->excluded.refusal);
}

/* They were made close-on-exec only for the sandbox. */
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
	status = errno == ENOENT ? FOREGROUND_NOT_FOUND :
				   FOREGROUND_CANNOT_EXECUTE;
	fail(errno, "%s", command[0]);
	log_error(err_text());
	return status;
}

/* The program gets neither our signal mask nor our signalfd. */
static _Noreturn void become_child(const struct request *request,
				   const struct unsandboxed *decided,
				   struct foreground *foreground)
{
	closep(&foreground->signals);
	(void)sigprocmask(SIG_SETMASK, &foreground->old_mask, NULL);
	_exit(become(request, decided));
}

static int wait_for(pid_t pid, const struct foreground *foreground,
		    const struct request *request, int *ret_signal)
{
	autoclose int pidfd = sys_pidfd_open(pid);
	const struct foreground_job job = {
		.pid = pid,
		.pidfd = pidfd,
		.timeout_ms = request->timeout_ms,
		.forward_tstp = true,
		.in_our_group = true,
		.signal = ret_signal,
	};
	int status;
	int r;

	if (pidfd < 0) {
		r = fail(errno, "open a pidfd of the process %d of the program",
			 pid);
		(void)kill(pid, SIGKILL);
		return r;
	}
	r = foreground_wait(foreground, &job, &status);
	return r < 0 ? r : status;
}

int unsandboxed_run(const struct request *request,
		    const struct unsandboxed *decided, int *ret_signal)
{
	AUTO(foreground_end) struct foreground foreground = FOREGROUND_NONE;
	pid_t pid;
	int r;

	if (!request->json && request->timeout_ms == 0)
		return become(request, decided);
	r = foreground_prepare(&foreground);
	if (r < 0)
		return r;
	pid = fork();
	if (pid < 0)
		return fail(errno, "create a process for the program");
	if (pid == 0)
		become_child(request, decided, &foreground);
	return wait_for(pid, &foreground, request, ret_signal);
}
