/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/world.h - all that a container could leave, as one text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "room.h"

#define MOST_HIERARCHIES 32
#define WORLD_SIZE 65536

struct world {
	char text[WORLD_SIZE];
	size_t len;
};

struct hierarchies {
	char *paths[MOST_HIERARCHIES]; /* the room's parent in each of them */
	size_t n;
};

/* Where the cgroups of the room are; they need not exist. */
void hierarchies_find(const struct room *room, struct hierarchies *ret);

/* One more line, or a part of it. */
void world_add(struct world *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Mounts, cgroups on every hierarchy, living processes and how many descriptors
 * they have, files of state, network interfaces, and what lasting.h has. Who
 * has ended by now is reaped.
 */
void world_look(const struct room *room, const struct hierarchies *h,
		struct world *ret);

/*
 * Look until it is as before, for a moment, or longer while all that is left is
 * about to go by itself; false with what it is then.
 */
bool world_settles(const struct room *room, const struct hierarchies *h,
		   const struct world *before, struct world *ret);

/* The lines of one that the other has not, at most `size` bytes of them. */
void world_added(const struct world *before, const struct world *after,
		 char *text, size_t size);

/* With force, so that the next point begins as this one did. */
void world_scrub(const struct room *room, const struct hierarchies *h,
		 const struct world *before);

/* Kill every process but ourselves, and reap it. */
void world_kill_all(void);
