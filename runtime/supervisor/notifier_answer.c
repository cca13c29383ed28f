/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/notifier_answer.c - copies for handlers, and their answers. */
#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/log.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/supervisor/notifier.h"

#define PAGE 4096
#define PIDFD_OF_THREAD O_EXCL /* PIDFD_THREAD of Linux 6.9 */

/* Calls whose arguments are all numbers, so that nothing can change. */
static const int by_numbers[] = {
	SYS_brk,	 SYS_close,	 SYS_dup,	  SYS_dup3,
	SYS_exit,	 SYS_exit_group, SYS_fchmod,	  SYS_fchown,
	SYS_ftruncate,	 SYS_getpgid,	 SYS_getpid,	  SYS_getppid,
	SYS_getpriority, SYS_getsid,	 SYS_gettid,	  SYS_getuid,
	SYS_kill,	 SYS_listen,	 SYS_sched_yield, SYS_setpgid,
	SYS_setpriority, SYS_shutdown,	 SYS_socket,	  SYS_tgkill,
	SYS_umask,
#ifdef SYS_dup2
	SYS_dup2,
#endif
#ifdef SYS_fork
	SYS_fork,	 SYS_vfork,
#endif
};

/* The pid may be that of another process, if the caller is gone. */
static bool still_waits(const struct notifier_call *call)
{
	uint64_t id = call->id;

	return ioctl(call->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

static int copy(const struct notifier_call *call, uint64_t address, void *ret,
		size_t size)
{
	struct iovec here = { .iov_base = ret, .iov_len = size };
	struct iovec there = { .iov_base = (void *)(uintptr_t)address,
			       .iov_len = size };
	ssize_t n = syscall(SYS_process_vm_readv, call->tid, &here, 1, &there,
			    1, 0);

	if (n < 0)
		return -errno;
	return n == (ssize_t)size ? 0 : -EFAULT;
}

int notifier_read(const struct notifier_call *call, uint64_t address, void *ret,
		  size_t size)
{
	int r = copy(call, address, ret, size);

	return still_waits(call) ? r : -ESRCH;
}

/* Up to the end of each page: the next one may not exist. */
int notifier_read_text(const struct notifier_call *call, uint64_t address,
		       char *ret, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t n = PAGE - (size_t)((address + at) % PAGE);
		int r;

		if (n > size - at)
			n = size - at;
		r = notifier_read(call, address + at, ret + at, n);
		if (r < 0)
			return r;
		if (memchr(ret + at, '\0', n))
			return 0;
		at += n;
	}
	return -ENAMETOOLONG;
}

int notifier_fd(const struct notifier_call *call, int fd)
{
	autoclose int pidfd =
		(int)syscall(SYS_pidfd_open, call->tid, PIDFD_OF_THREAD);
	int copied;

	/* Before Linux 6.9 only the first thread of a process has one. */
	if (pidfd < 0 && errno == EINVAL)
		pidfd = sys_pidfd_open(call->tid);
	if (pidfd < 0)
		return -errno;
	if (!still_waits(call))
		return -ESRCH;
	copied = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	return copied < 0 ? -errno : copied;
}

struct notifier_answer notifier_error(int error)
{
	return (struct notifier_answer){
		.kind = NOTIFIER_ERROR,
		.value = error < 0 ? -error : error,
	};
}

struct notifier_answer notifier_value(int64_t value)
{
	return (struct notifier_answer){ .kind = NOTIFIER_VALUE,
					 .value = value };
}

struct notifier_answer notifier_install(int fd, bool cloexec)
{
	return (struct notifier_answer){
		.kind = NOTIFIER_FD,
		.value = fd,
		.cloexec = cloexec,
	};
}

struct notifier_answer
notifier_kernel_makes_call_without_pointers(const struct notifier_call *call,
					    const char *reason)
{
	for (size_t i = 0; i < COUNT(by_numbers); i++)
		if (by_numbers[i] == call->number)
			return (struct notifier_answer){
				.kind = NOTIFIER_KERNEL
			};
	log_warning("internal error: call %d has pointers, so the kernel cannot "
		    "make it after it was judged (%s)",
		    call->number, reason);
	return notifier_error(EPERM);
}
