/* SPDX-License-Identifier: Apache-2.0 */
/* cow/commit_plan.h - turn changes into the steps of a journal. */
#pragma once

#include "cow/changes.h"
#include "cow/links.h"
#include "cow/stage.h"

struct commit_plan {
	struct arena *arena;
	const struct sides *sides;
	const struct changes *changes;
	const struct links *links;
	const struct stage *stage;
};

/*
 * Write the journal's text; copy files to the stage if necessary. ret_growth:
 * bytes by which directories may grow.
 */
int commit_plan_write(const struct commit_plan *plan, const char **ret,
		      size_t *ret_len, size_t *ret_growth);
