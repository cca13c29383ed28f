/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/scene.h - the commands of the census: what is there before one,
 * how to see that it did what it says, and how to try it once more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "keepers.h"
#include "room.h"
#include "world.h"

#define RECORD_SIZE 262144

enum from { NOTHING, CREATED, RUNNING, PAUSED, STOPPED };

struct stage {
	struct room room;
	struct hierarchies hierarchies;
	struct world empty, ready, seen;
	bool is_ready; /* the container of the scene before can be used again */
	pid_t init;
	pid_t keepers[KEEPERS];	  /* 0: none */
	char record[RECORD_SIZE]; /* of a correctly confined program */
	size_t record_len;
	int status; /* of the last command without a fault */
};

struct scene {
	const char *name;
	const char *line;
	enum from from;
	bool stays; /* the container is there afterwards, as it was before */
	bool with_init; /* what the container's process does is part of it */
	bool (*worked)(struct stage *stage);
	/* After a failure; what was left had to be deleted first, or not. */
	bool (*again)(struct stage *stage, const struct scene *scene,
		      bool *ret_by_delete);
};

extern const struct scene scenes[];
extern const size_t nscenes;

/* Bring the container there; dies when the runtime cannot. */
void scene_prepare(struct stage *stage, const struct scene *scene);

/* Without a fault: true when its status is 0. */
bool stage_runs(struct stage *stage, const char *line);

/* Wait until so many programs have written what holds them. */
bool stage_records(struct stage *stage, int n);

/* How many have, and the first line in which one differs, or NULL. */
const char *stage_differs(struct stage *stage, char *line, size_t size);
