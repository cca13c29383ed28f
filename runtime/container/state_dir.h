/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/state_dir.h - the state directory of a container: reserve
 * the ID, write the record, undo everything.
 */
#pragma once

#include <stdbool.h>

#include "runtime/container/container.h"

struct arena;

/*
 * Make and lock its directory. First clean up after a killed create with the
 * same ID; fail with "container with given ID already exists" if it is kept.
 */
int state_dir_reserve(struct arena *arena, const char *root, const char *id,
		      struct container *ret);
/* How long a command waits for another one that is short. */
#define STATE_DIR_LOCK_SECONDS 10
/*
 * Wait for the lock: -EBUSY after `seconds`, -ENOENT if the container was
 * removed meanwhile.
 */
int state_dir_lock(const struct container *container, int seconds);
void state_dir_unlock(const struct container *container);

/* Write the record atomically. */
int state_dir_save(struct arena *arena, const struct container *container);
/* Get the id of this boot, for the record. */
int state_dir_boot_id(struct arena *arena, int proc, const char **ret);

/*
 * Kill all processes of the container and remove its cgroups. Never signal a
 * process that is not provably its own.
 */
int state_dir_end(struct arena *arena, const struct container *container);
/* Remove its directory, so that the ID is free again. */
int state_dir_release(const struct container *container);
