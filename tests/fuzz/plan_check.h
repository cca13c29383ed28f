/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/plan_check.h - what is true of every plan. */
#pragma once

#include <string.h>

#include "runtime/plan/join.h"
#include "runtime/plan/make.h"
#include "runtime/plan/plan.h"
#include "tests/fuzz/fuzz.h"

/* A jump backwards would never end; a slot beyond the last does not exist. */
static inline void demand_steps(const struct plan *plan)
{
	for (size_t i = 0; i < plan->nsteps; i++) {
		const struct step *s = &plan->steps[i];

		demand(s->op < STEP_MAX);
		demand(!s->next || (s->next > i && s->next <= plan->nsteps));
		demand(!s->on_denied ||
		       (s->on_denied > i && s->on_denied <= plan->nsteps));
		demand(s->in < plan->nslots && s->in2 < plan->nslots &&
		       s->out < plan->nslots);
	}
	for (size_t i = 0; i < plan->nsources; i++)
		demand(plan->sources[i].slot < plan->nslots);
}

static inline bool plan_has(const struct plan *plan, enum step_op op)
{
	for (size_t i = 0; i < plan->nsteps; i++)
		if (plan->steps[i].op == op)
			return true;
	return false;
}

/* A whole one: exec is the last step, and it can be printed. */
static inline void demand_plan(struct arena *arena, const struct plan *plan)
{
	const char *text;

	demand_steps(plan);
	demand(plan->nsteps > 0);
	demand(plan->steps[plan->nsteps - 1].op == STEP_EXEC);
	demand(plan_print(arena, plan, &text) == 0);
	demand(strlen(text) > plan->nsteps);
}
