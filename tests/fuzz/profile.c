/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/profile.c - any profile in TOML. */
#include "tests/fuzz/round_trip.h"

static struct policy policy;

static int parse(struct arena *arena, const char *text, size_t len)
{
	policy = (struct policy){ 0 };
	return policy_from_toml(arena, text, len, "x", &fuzz_place, &policy);
}

static void accepted(struct arena *arena)
{
	demand_origins(&policy);
	demand_round_trip(arena, &policy, &fuzz_place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
