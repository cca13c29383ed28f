/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/policy.c - any value of any key, as annotation or flag.
 *
 * The first byte is the key, the second the door, the rest the value.
 */
#include <errno.h>

#include "base/err.h"
#include "tests/fuzz/round_trip.h"
#include "tests/unit/flag_words.h"
#include "tests/unit/policy_asked.h"

static enum policy_key key;
static struct policy policy;

static int as_annotation(struct arena *arena, const char *value)
{
	const struct oci_annotation one = {
		.key = arena_printf(arena, "io.sandlock.%s",
				    policy_key_name(key)),
		.value = value
	};
	const struct oci_annotations all = { .items = &one, .n = 1 };
	struct strings allowed;
	const char *profile;

	if (!one.key || policy_asked_keys(arena, &allowed) < 0)
		return -ENOMEM;
	return policy_from_annotations(arena, &all, NULL, &allowed, &fuzz_place,
				       &policy, &profile);
}

static int as_flag(struct arena *arena, const char *value)
{
	const char *spelled = policy_key_info(key)->comma_flag;
	char *word = arena_printf(arena, "--%s",
				  spelled ? spelled : policy_key_name(key));
	int used;

	if (!word)
		return -ENOMEM;
	for (char *p = word; *p; p++)
		if (*p == '.' || *p == '_')
			*p = '-';
	word = arena_printf(arena, "%s=%s", word, value);
	if (!word)
		return -ENOMEM;
	return policy_from_words(arena, &word, 1, &fuzz_place, NULL, 0, NULL,
				 &policy, &used);
}

static int parse(struct arena *arena, const char *text, size_t len)
{
	const char *value;

	policy = (struct policy){ 0 };
	if (len < 2)
		return fail(0, "too short");
	key = (unsigned char)text[0] % KEY_COUNT;
	value = fuzz_text(arena, text + 2, len - 2);
	if (!value)
		return -ENOMEM;
	if (!fuzz_is_utf8(value))
		return fail(0, "not UTF-8");
	return text[1] & 1 ? as_flag(arena, value) :
			     as_annotation(arena, value);
}

static void accepted(struct arena *arena)
{
	demand(policy.set[key]);
	demand_origins(&policy);
	demand_round_trip(arena, &policy, &fuzz_place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
