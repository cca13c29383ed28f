/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/round_trip.h - a policy, whatever its door, survives being written down. */
#pragma once

#include <string.h>

#include "policy/keys.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/policy_equal.h"

/* The current directory has what a pattern would read otherwise. */
static const struct policy_place fuzz_place = { .cwd = "/srv/[d]",
						.home = "/home/u",
						.project = "/srv" };

static inline void demand_round_trip(struct arena *arena,
				     const struct policy *policy,
				     const struct policy_place *place)
{
	struct policy again = { 0 };
	const char *toml, *twice;

	demand(policy_to_toml(arena, policy, &toml) == 0);
	demand(policy_from_toml(arena, toml, strlen(toml), "x", place,
				&again) == 0);
	demand(policy_equal(policy, &again));
	demand(policy_to_toml(arena, &again, &twice) == 0);
	demand(streq(toml, twice));
}

/* Every key that is set has an origin; every other key has no value. */
static inline void demand_origins(const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		demand(policy->set[key] == (policy->origin[key] != NULL));
}
