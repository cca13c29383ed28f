/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/flags.c - any command line of a policy, one word a line. */
#include <errno.h>

#include "base/err.h"
#include "tests/fuzz/round_trip.h"
#include "tests/unit/flag_words.h"

static struct strings words;
static struct policy policy;
static int used;

static int parse(struct arena *arena, const char *text, size_t len)
{
	int r = fuzz_lines(arena, text, len, &words);

	policy = (struct policy){ 0 };
	if (r < 0)
		return r;
	for (size_t i = 0; i < words.n; i++)
		if (!fuzz_is_utf8(words.items[i]))
			return fail(0, "not UTF-8");
	return policy_from_words(arena, (char **)words.items, (int)words.n,
				 &fuzz_place, NULL, 0, NULL, &policy, &used);
}

/* Neither the command after the flags nor its own flags count. */
static void accepted(struct arena *arena)
{
	struct policy again = { 0 };
	int same;

	demand(used >= 0 && (size_t)used <= words.n);
	demand(policy_from_words(arena, (char **)words.items, used, &fuzz_place,
				 NULL, 0, NULL, &again, &same) == 0);
	demand(same == used && policy_equal(&policy, &again));
	demand_origins(&policy);
	demand_round_trip(arena, &policy, &fuzz_place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
