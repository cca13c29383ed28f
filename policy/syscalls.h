/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/syscalls.h - groups of system calls. Every policy denies all of them,
 * unless syscalls.extra_allow contains the group.
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
	const char *const *calls;    /* denied always; ends with NULL */
	const char *const *filtered; /* denied by arguments; ends with NULL */
};

const struct syscall_group_info *syscall_group_info(enum syscall_group group);
int syscall_group_find(const char *name); /* -1: unknown */
/*
 * True if the text may be the name of a system call; the kernel's names are not
 * known here.
 */
bool syscall_is_name(const char *text);
