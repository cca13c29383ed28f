/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/lock_holder.h - find the process that has the lock of a
 * container.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/container/container.h"

/* Return its pid from /proc/locks; 0: none, or not visible. */
pid_t lock_holder_pid(const struct container *container);
/* True if the process that made the container has the lock, and is stopped. */
bool lock_holder_is_stopped(const struct container *container);
/*
 * Kill the process that made the container, and its children, and wait for it
 * to end; -EBUSY, with the holder's pid, if another process holds the lock.
 */
int lock_holder_end(const struct container *container);
/* Fail with -EBUSY because of the lock, with the pid if it is known. */
int lock_holder_fail(const struct container *container);
