/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/state_dir.h - a container's place on disk, from the first effect to
 * the last: reserve the ID, write the record, take everything back.
 */
#pragma once

#include <stdbool.h>

#include "runtime/container/container.h"

struct arena;

/*
 * Make and lock its directory. What a killed create has left under the same
 * ID is undone first; "container with given ID already exists" when it is kept.
 */
int state_dir_reserve(struct arena *arena, const char *root, const char *id,
		      struct container *ret);
/* How long a command waits for another one that is short. */
#define STATE_DIR_LOCK_SECONDS 10
/*
 * Wait until no other command holds the lock: -EBUSY after so many seconds,
 * -ENOENT if the container was removed meanwhile.
 */
int state_dir_lock(const struct container *container, int seconds);
void state_dir_unlock(const struct container *container);

/* Write the record, whole or not at all. */
int state_dir_save(struct arena *arena, const struct container *container);
/* This boot's id, for the record. */
int state_dir_boot_id(struct arena *arena, int proc, const char **ret);

/*
 * End every process that is the container's, remove its cgroups. Never a
 * signal to a process that is not provably its own.
 */
int state_dir_end(struct arena *arena, const struct container *container);
/* Remove its directory: the ID is free again. */
int state_dir_release(const struct container *container);
