/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/proc.h - our own /proc: verified once, then used by descriptor.
 *
 * Opened before the first change of namespace. Lookups stay on this procfs
 * (an over-mount is EXDEV) and follow no magic link.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* O_PATH of /proc, which must be a procfs; recorded error otherwise. */
int proc_open(void);
/*
 * Whether our user namespace is another than the initial one; proc: of
 * proc_open, or -1.
 */
int proc_in_userns(int proc, bool *ret);
/* Open a file below it; runs in the child, too: -1 and errno. */
int proc_open_at(int proc, const char *path, int flags);
/* Start time of a process (field 22 of stat) and its state letter. */
int proc_stat(int proc, pid_t pid, uint64_t *ret_start, char *ret_state);
/* Its start time, and whether it is on its way out; an error when it is gone. */
int proc_life(int proc, pid_t pid, uint64_t *ret_start, bool *ret_ends);
/* Its parent; 0 if the process is gone or its parent is not visible. */
pid_t proc_parent(int proc, pid_t pid);
/* It runs, or ran, nothing but a copy of its parent; false when it is unknown. */
bool proc_never_execed(int proc, pid_t pid);
/* It is gone, or on its way. */
bool proc_ends(int proc, pid_t pid);
/*
 * Let us be killed when our parent ends, or end now if it has. To be said again
 * after joining a user namespace, which resets it.
 */
void proc_end_with(pid_t parent);
