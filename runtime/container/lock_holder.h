/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/lock_holder.h - the process that works on a container and holds its lock. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/container/container.h"

/* Its pid, from /proc/locks; 0: none, or not visible from here. */
pid_t lock_holder_pid(const struct container *container);
/* The process that made the container holds the lock, and is stopped. */
bool lock_holder_is_stopped(const struct container *container);
/*
 * Kill the process that made the container, and its children, and wait for it
 * to end; -EBUSY, with the holder's pid, if another process holds the lock.
 */
int lock_holder_end(const struct container *container);
/* The error of a lock that is held: -EBUSY, with the pid where it is known. */
int lock_holder_fail(const struct container *container);
