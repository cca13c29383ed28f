/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/proc.h - the runtime's own /proc, verified once, then used by
 * descriptor.
 *
 * It is opened before the first change of namespace. Lookups stay on this
 * procfs (a mount over it is EXDEV) and follow no magic link.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel's PF_EXITING and PF_FORKNOEXEC; zombies keep them. */
#define PROC_EXITING 0x4
#define PROC_NEVER_EXECED 0x40

/* Open /proc with O_PATH; fail if it is not a procfs. */
int proc_open(void);
/*
 * Tell whether our user namespace is not the initial one; proc is from
 * proc_open, or -1. The answer of the first call is kept, also in a child that
 * joins another user namespace.
 */
int proc_in_userns(int proc, bool *ret);
/* Open a file below proc; -1 and errno, as the child uses it, too. */
int proc_open_at(int proc, const char *path, int flags);
/*
 * Get the path of an open file without symbolic links, in PATH_MAX bytes; false
 * if this process cannot reach the file by a path.
 */
bool proc_path_of(int proc, int fd, char *ret);
/* Get the start time of a process (field 22 of stat) and its state letter. */
int proc_stat(int proc, pid_t pid, uint64_t *ret_start, char *ret_state);
/*
 * Get the start time of a process, and whether it is exiting; fail if it is
 * gone.
 */
int proc_life(int proc, pid_t pid, uint64_t *ret_start, bool *ret_ends);
/* Get the start time of a process and its PROC_ flags; fail if it is gone. */
int proc_flags(int proc, pid_t pid, uint64_t *ret_start, uint64_t *ret_flags);
/*
 * Return the parent of a process; 0 if the process is gone or its parent is not
 * visible.
 */
pid_t proc_parent(int proc, pid_t pid);
/*
 * True if the process has never called execve; false also if that is unknown.
 */
bool proc_never_execed(int proc, pid_t pid);
/*
 * Return the signals that this process ignores, 1 << (number - 1) each; all if
 * that is unknown.
 */
uint64_t proc_ignored_signals(int proc);
/* True if the process is gone or exiting. */
bool proc_ends(int proc, pid_t pid);
/*
 * Make the kernel kill this process when its parent dies, or exit now if it
 * has. Joining a user namespace resets this, so call it again then.
 */
void proc_end_with(pid_t parent);
