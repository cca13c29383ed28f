/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sys.h - system calls without a wrapper in the C library; -1 and errno.
 */
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"

/* musl before 1.2.5 */
#ifndef STATX_TYPE
#include <linux/stat.h>
static inline int statx(int dir, const char *path, int flags, unsigned int mask,
			struct statx *ret)
{
	return (int)syscall(SYS_statx, dir, path, flags, mask, ret);
}
#endif

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#define SYS_fspick 433
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

static inline int sys_openat2(int dir, const char *path, uint64_t flags,
			      uint64_t mode, uint64_t resolve)
{
	struct kernel_open_how how = {
		.flags = flags | O_CLOEXEC,
		.mode = mode,
		.resolve = resolve,
	};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
}

static inline int sys_faccessat2(int dir, const char *path, int mode, int flags)
{
	return (int)syscall(SYS_faccessat2, dir, path, mode, flags);
}

static inline int sys_open_tree(int dir, const char *path, unsigned int flags)
{
	return (int)syscall(SYS_open_tree, dir, path,
			    flags | (unsigned int)O_CLOEXEC);
}

/* Attach the mount of one descriptor at the directory or file of another. */
static inline int sys_move_mount(int from, int to)
{
	return (int)syscall(SYS_move_mount, from, "", to, "",
			    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* Like sys_move_mount, but at an entry of the directory, or "" for itself. */
static inline int sys_move_mount_at(int from, int dir, const char *name)
{
	return (int)syscall(SYS_move_mount, from, "", dir, name,
			    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static inline int sys_mount_setattr(int fd, unsigned int flags,
				    const struct kernel_mount_attr *attr)
{
	return (int)syscall(SYS_mount_setattr, fd, "", flags | AT_EMPTY_PATH,
			    attr, sizeof *attr);
}

static inline int sys_fsopen(const char *type)
{
	return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

static inline int sys_fsconfig(int fd, unsigned int cmd, const char *key,
			       const char *value)
{
	return (int)syscall(SYS_fsconfig, fd, cmd, key, value, 0);
}

/* Open the file system mounted at a descriptor for changes. */
static inline int sys_fspick(int place)
{
	return (int)syscall(SYS_fspick, place, "",
			    FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
}

static inline int sys_fsmount(int fd, unsigned int attrs)
{
	return (int)syscall(SYS_fsmount, fd, FSMOUNT_CLOEXEC, attrs);
}

static inline int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline pid_t sys_clone3(const struct kernel_clone_args *args)
{
	return (pid_t)syscall(SYS_clone3, args, sizeof *args);
}

static inline int sys_close_range(unsigned int first, unsigned int last,
				  unsigned int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int sys_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static inline int sys_pidfd_send_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

static inline int
sys_landlock_create_ruleset(const struct kernel_landlock_ruleset *attr,
			    size_t size, unsigned int flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

/* attr: struct kernel_landlock_path or _port, as the type says. */
static inline int sys_landlock_add_rule(int ruleset, int type, const void *attr)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset, type, attr, 0);
}

static inline int sys_landlock_restrict_self(int ruleset, unsigned int flags)
{
	return (int)syscall(SYS_landlock_restrict_self, ruleset, flags);
}
