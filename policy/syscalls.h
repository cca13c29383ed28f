/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/syscalls.h - groups of system calls. All of them are blocked under any
 * policy, unless syscalls.extra_allow has the group.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum syscall_group {
	SYSCALLS_SYSV_IPC,
	SYSCALLS_MOUNT,
	SYSCALLS_NAMESPACES,
	SYSCALLS_MODULE,
	SYSCALLS_KEXEC,
	SYSCALLS_REBOOT,
	SYSCALLS_SWAP,
	SYSCALLS_PTRACE,
	SYSCALLS_KEYRING,
	SYSCALLS_BPF,
	SYSCALLS_PERF,
	SYSCALLS_USERFAULTFD,
	SYSCALLS_IO_URING,
	SYSCALLS_HANDLE,
	SYSCALLS_CLOCK,
	SYSCALLS_IO,
	SYSCALLS_ADMIN,
	SYSCALLS_RAW_SOCKETS,
	SYSCALLS_TERMINAL,
	SYSCALLS_SUID,
	SYSCALLS_GROUPS,
};

struct syscall_group_info {
	const char *name;
	const char *const *calls;    /* always; ends with NULL */
	const char *const *filtered; /* by their arguments; the same */
};

const struct syscall_group_info *syscall_group_info(enum syscall_group group);
int syscall_group_find(const char *name); /* -1: unknown */
/* Whether it could be the name of a system call; the kernel's are not here. */
bool syscall_is_name(const char *text);
