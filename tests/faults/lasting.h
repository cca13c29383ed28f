/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/lasting.h - what outlives its processes: shared memory and
 * queues, keyrings, loop devices, and files such as a core.
 *
 * Namespaces without a process, a mount or a descriptor, and sockets without a
 * process, do not last: world.c examines the processes that keep them.
 */
#pragma once

#include "room.h"
#include "world.h"

/* One line for each of them; only those of the room, where all can be seen. */
void lasting_look(const struct room *room, struct world *ret);

/* Remove what the room did not have before. */
void lasting_scrub(const struct room *room, const struct world *before);
