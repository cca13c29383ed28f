/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/reaper.c - process 1 of a sandbox, which reaps children,
 * forwards signals, and exits when the program does. The program runs in its
 * child.
 *
 * On entry the process has the program's user, no capabilities, and
 * no_new_privs. It reads only signals and has no open descriptor. It installs
 * no filter: the filter is made for the program, and may deny what process 1
 * needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/sys.h"
#include "runtime/child/child.h"

#define KERNEL_SIGSET 8 /* bytes of the kernel's sigset_t */

/* Return 128+N for signal N, as a shell does; store N if signal is not NULL. */
static int exit_status(const siginfo_t *info, int *signal)
{
	if (info->si_code == CLD_EXITED)
		return info->si_status;
	if (signal)
		*signal = info->si_status;
	return 128 + info->si_status;
}

static void reap(pid_t program, int *signal)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (syscall(SYS_waitid, P_ALL, 0, &info,
			    WEXITED | WNOHANG | __WALL, NULL) < 0 ||
		    info.si_pid == 0)
			return;
		/*
		 * The kernel kills all other processes of the namespace with
		 * this one.
		 */
		if (info.si_pid == program)
			_exit(exit_status(&info, signal));
	}
}

/*
 * The kernel sends signals of the terminal to the group in the foreground, which
 * is not that of process 1. Send others to the program's group, or to the
 * program alone if it left that group.
 */
static void pass_on(pid_t program, const siginfo_t *info)
{
	if (info->si_code == SI_KERNEL)
		return;
	if (kill(-program, info->si_signo) < 0)
		(void)kill(program, info->si_signo);
}

static _Noreturn void stay(pid_t program, const struct step *step)
{
	uint64_t all = ~UINT64_C(0);
	siginfo_t info;

	/*
	 * The arguments may contain secrets; /proc/1/cmdline shows them inside.
	 */
	memset(step->reaper.command_line, 0, step->reaper.size);
	/* Closes the pipe that wait_for_end reads in the program's process. */
	(void)sys_close_range(0, ~0U, 0);
	for (;;) {
		long sig = syscall(SYS_rt_sigtimedwait, &all, &info, NULL,
				   KERNEL_SIGSET);

		if (sig == SIGCHLD)
			reap(program, step->reaper.signal);
		else if (sig > 0)
			pass_on(program, &info);
	}
}

/* Wait until process 1 has closed the other end, with all signals blocked. */
static int wait_for_end(int ends[2])
{
	char byte;

	closep(&ends[1]);
	if (read(ends[0], &byte, 1) < 0)
		return -1;
	closep(&ends[0]);
	return 0;
}

int child_reaper_step(const struct step *step)
{
	struct kernel_clone_args args = { .exit_signal = SIGCHLD };
	uint64_t all = ~UINT64_C(0);
	int ends[2];
	pid_t pid, own;

	/*
	 * Other processes inside have the same user; deny them access to
	 * process 1.
	 */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_NAME, "sandlock", 0, 0, 0) < 0 ||
	    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL,
		    KERNEL_SIGSET) < 0 ||
	    syscall(SYS_pipe2, ends, O_CLOEXEC) < 0)
		return -1;
	pid = sys_clone3(&args);
	if (pid < 0)
		return -1;
	if (pid > 0)
		stay(pid, step);
	if (wait_for_end(ends) < 0)
		return -1;
	own = (pid_t)syscall(SYS_getpid);
	/*
	 * Its own process group: the kernel does not stop a group whose
	 * processes all have their parents in it, or in another session.
	 */
	if (setpgid(0, 0) < 0)
		return -1;
	return step->reaper.terminal ? ioctl(STDIN_FILENO, TIOCSPGRP, &own) : 0;
}
