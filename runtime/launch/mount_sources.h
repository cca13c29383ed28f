/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/mount_sources.h - open trees for the child with the rights of
 * the runtime.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct plan;

/*
 * Open either the late sources or the others into their slots of the plan, as
 * detached clones that do not propagate mounts to the host, idmapped where the
 * plan says so. userns is the user namespace to map late ones by, new or
 * joined; -1 if late is false.
 */
int mount_sources_open(struct plan *plan, int proc, bool late, int userns);
/*
 * Open the source of a slot in the mount namespace of a process, where an
 * earlier mount provides it.
 */
int mount_sources_open_in_turn(struct plan *plan, int proc, pid_t pid,
			       uint16_t slot, int userns);
