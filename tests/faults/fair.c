/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/fair.c - the exceptions of the census, all of them.
 *
 * One more is in trace.c: a failing close has closed the descriptor.
 */
#include "fair.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "trace.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const long never_return[] = {
	SYS_exit,
	SYS_exit_group,
	SYS_rt_sigreturn,
};

/* "These functions are always successful": their value is the answer. */
static const long never_fail[] = {
	SYS_brk,     SYS_getegid, SYS_geteuid, SYS_getgid,	    SYS_getpid,
	SYS_getppid, SYS_gettid,  SYS_getuid,  SYS_set_tid_address, SYS_umask,
};

/* Those with EINTR among the errors of their manual page, or in signal(7). */
static const long interrupted[] = {
	SYS_accept4,
	SYS_close,
	SYS_connect,
	SYS_dup3,
	SYS_epoll_pwait,
	SYS_fallocate,
	SYS_fcntl,
	SYS_flock,
	SYS_fstatfs,
	SYS_fsync,
	SYS_ftruncate,
	SYS_futex,
	SYS_getrandom,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_openat,
	SYS_openat2,
	SYS_ppoll,
	SYS_pread64,
	SYS_pwrite64,
	SYS_read,
	SYS_readv,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_rt_sigtimedwait,
	SYS_sendmsg,
	SYS_sendto,
	SYS_statfs,
	SYS_truncate,
	SYS_wait4,
	SYS_waitid,
	SYS_write,
	SYS_writev,
	SYS_accept,
#ifdef __x86_64__
	SYS_creat,
	SYS_dup2,
	SYS_epoll_wait,
	SYS_open,
	SYS_poll,
	SYS_select,
#endif
};

static bool among(const long *list, size_t n, long nr)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == nr)
			return true;
	return false;
}

enum exception fair(const struct call *call, int error, bool stays)
{
	long nr = call->nr;

	/* It would be dead as it is, and said so. */
	if (among(never_return, COUNT(never_return), nr))
		return NEVER_RETURNS;
	/* A dead process makes no more calls. */
	if (stays && (error <= KILLED || error == EINTR))
		return NEVER_STAYS;
	if (stays && error == EAGAIN && nr == SYS_flock)
		return HELD;
	/*
	 * While the process waits for start, the container is created; if it
	 * dies then, the container is stopped.
	 */
	if (error == KILLED && !call->kept &&
	    (nr == SYS_accept4 || nr == SYS_ppoll))
		return ARRIVED;
	if (error <= KILLED)
		return FAIR;
	if (among(never_fail, COUNT(never_fail), nr))
		return NEVER_FAILS;
	if (error == EINTR && !among(interrupted, COUNT(interrupted), nr))
		return NEVER_INTERRUPTED;
	if (error == ENOSYS && nr == SYS_keyctl)
		return NO_KEYRINGS;
	return FAIR;
}

const char *exception_text(enum exception why)
{
	static const char *const texts[] = {
		[FAIR] = "",
		[NEVER_RETURNS] = "exit and sigreturn do not return",
		[NEVER_FAILS] = "getpid, umask, brk and the like have no error",
		[NEVER_INTERRUPTED] =
			"EINTR of a call whose manual page has none",
		[NEVER_STAYS] =
			"no signal comes at each try, and one is killed once",
		[HELD] = "EAGAIN of flock that stays is somebody at work",
		[ARRIVED] =
			"who is killed in ppoll or accept4 was created before",
		[NO_KEYRINGS] = "ENOSYS of keyctl is a kernel without keyrings",
	};

	return texts[why];
}
