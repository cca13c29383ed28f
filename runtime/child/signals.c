/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/signals.c - apply default signal actions while the child waits
 * for `start`.
 *
 * The kernel discards signals without a handler for process 1 of a pid
 * namespace, even from outside; SIGKILL and SIGSTOP are exceptions. So the
 * child blocks all signals, reads them, and takes the default action itself. It
 * makes raw system calls because the C library hides two signals.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/child/child.h"

int child_signals_open(void)
{
	const uint64_t all = ~0ULL;

	if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all) <
	    0)
		return -1;
	return (int)syscall(SYS_signalfd4, -1, &all, sizeof all, SFD_CLOEXEC);
}

static bool ends_by_default(int sig)
{
	switch (sig) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	default:
		return true;
	}
}

/*
 * Raise the signal with its default action, so that the parent sees the child
 * die of it. As process 1 the child survives that, and exits instead.
 */
static void obey(int sig)
{
	static const unsigned long to_default[4];
	const uint64_t one = 1ULL << (sig - 1);

	(void)syscall(SYS_rt_sigaction, sig, to_default, NULL, sizeof one);
	(void)kill(getpid(), sig);
	(void)syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, sizeof one);
	(void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &one, NULL, sizeof one);
	if (ends_by_default(sig))
		_exit(128 + sig);
}

void child_signals_wait(int signals, int fd)
{
	struct pollfd p[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	struct signalfd_siginfo info;
	long n;

	do {
		n = syscall(SYS_ppoll, p, 2, NULL, NULL, sizeof(uint64_t));
		if (n > 0 && p[0].revents &&
		    read(signals, &info, sizeof info) == sizeof info)
			obey((int)info.ssi_signo);
	} while ((n < 0 && errno == EINTR) || (n > 0 && !p[1].revents));
}
