/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/limits_hit.c - report the limits that a sandbox has reached.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/arena.h"
#include "cgroups/cgroup.h"
#include "policy/policy.h"
#include "runtime/container/create.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"
#include "runtime/denials/hint.h"

#define KIB 1024

/* Format a size as in a profile: "64M". */
static const char *size_text(struct arena *arena, uint64_t size)
{
	static const char units[] = "KMGT";
	const char *unit = units;

	if (size % KIB)
		return arena_printf(arena, "%" PRIu64, size);
	for (size /= KIB; size % KIB == 0 && unit[1]; size /= KIB)
		unit++;
	return arena_printf(arena, "%" PRIu64 "%c", size, *unit);
}

static int memory_hit(const struct creation *c,
		      const struct attribution *attribution)
{
	struct denials *denials = attribution->denials;
	const struct denial denial = {
		.operation = "allocate",
		.target = "memory",
		.key = "limits.memory",
		.item = size_text(denials->arena,
				  c->prepared->enforcement.policy.memory),
		.add = hint_raise(attribution, KEY_MEMORY),
	};

	return denial.item ? denials_add(denials, &denial) : -ENOMEM;
}

/* The cgroup has the smaller of both limits, plus one for process 1. */
static int pids_hit(const struct creation *c,
		    const struct attribution *attribution)
{
	struct denials *denials = attribution->denials;
	const struct policy *policy = &c->prepared->enforcement.policy;
	bool processes = policy->set[KEY_PROCESSES] &&
			 policy->processes <= policy->tasks;
	const struct denial denial = {
		.operation = "create",
		.target = processes ? "process" : "task",
		.key = processes ? "limits.processes" : "limits.tasks",
		.item = arena_printf(denials->arena, "%u",
				     processes ? policy->processes :
						 policy->tasks),
		.add = hint_raise(attribution,
				  processes ? KEY_PROCESSES : KEY_TASKS),
	};

	return denial.item ? denials_add(denials, &denial) : -ENOMEM;
}

int limits_hit(const struct creation *c, const struct attribution *attribution)
{
	const struct oci_resources *limits = &c->resources;
	int r = 0;

	if (limits->memory.limit.set && cgroup_met_memory(&c->cgroup))
		r = memory_hit(c, attribution);
	if (r == 0 && limits->pids_limit.set && limits->pids_limit.value > 0 &&
	    cgroup_met_pids(&c->cgroup, (uint64_t)limits->pids_limit.value))
		r = pids_hit(c, attribution);
	return r;
}
