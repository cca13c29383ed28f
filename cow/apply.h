/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/apply.h - do the steps of a journal.
 *
 * A step that is done already is left alone, so the steps can be done again
 * from the first one after a crash.
 */
#pragma once

#include <stddef.h>

#include "base/strings.h"
#include "cow/journal.h"

struct arena;

struct apply {
	struct arena *arena;
	int lower; /* the workdir */
	int upper;
	int index; /* or -1 */
	int stage; /* where "s:" is; or -1 */
	int trash;
	const char *prefix;
	/* Set by apply_steps: paths that others have changed meanwhile. */
	const char **skipped;
	size_t nskipped, skipped_room;
};

/* Do all steps; those whose file has changed meanwhile are skipped. */
int apply_steps(struct apply *apply, const struct journal *journal);
/*
 * Remove from the upper directory what the steps have exchanged, so that only
 * skipped changes are left there.
 */
void apply_clear_upper(const struct apply *apply,
		       const struct journal *journal);
