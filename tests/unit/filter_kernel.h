/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/filter_kernel.h - seccomp programs in the kernel, for a child to try. */
#pragma once

#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/confine.h"

static int install(const struct confine_filter *filter)
{
	struct sock_fprog program = { (unsigned short)filter->len,
				      filter->code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, filter->flags,
		       &program) < 0;
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* An emulator of another processor's programs has no filters for them. */
static void skip_without_filters(void)
{
	uint32_t action = SECCOMP_RET_ALLOW;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0) {
		print_message("needs seccomp filters\n");
		skip();
	}
}

/* Only this processor lets a program change over from call to call. */
#ifdef __x86_64__
static void assert_other_abi_is_deadly(const struct confine_filter *filter)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		long number = 20; /* getpid of i386 */

		if (install(filter))
			_exit(1);
		__asm__ volatile("int $0x80" : "+a"(number) : : "memory");
		_exit(2);
	}
	status = status_of(pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}
#endif
