/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/mount_sources.h - the trees that the runtime itself opens for the child. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct plan;

/*
 * Open the sources that are late, or those that are not, into their slots of
 * the plan: detached clones that no longer tell the host of their mounts,
 * idmapped where asked. userns is what late ones are mapped by, a new user
 * namespace or a joined one; -1 with late false.
 */
int mount_sources_open(struct plan *plan, int proc, bool late, int userns);
/*
 * Open the source of a slot in the mount namespace of a process, where an
 * earlier mount provides it.
 */
int mount_sources_open_in_turn(struct plan *plan, int proc, pid_t pid,
			       uint16_t slot, int userns);
