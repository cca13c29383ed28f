/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/annotations.c - any annotations of a bundle.
 *
 * The first line is the container's name, or empty; the second is empty unless
 * the operator allows all keys; then one KEY=VALUE a line.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "tests/fuzz/round_trip.h"
#include "tests/unit/policy_asked.h"

static const struct policy_place place = { .home = "/home/u", .bundle = true };

static struct oci_annotation *pairs;
static struct oci_annotations all;
static const char *container;
static struct strings allowed;
static struct policy policy;
static const char *profile;

static int split(struct arena *arena, const char *text, size_t len)
{
	struct strings lines;
	int r = fuzz_lines(arena, text, len, &lines);

	if (r < 0)
		return r;
	if (lines.n < 3)
		return fail(0, "too short");
	container = *lines.items[0] ? lines.items[0] : NULL;
	allowed = (struct strings){ 0 };
	if (*lines.items[1] && policy_asked_keys(arena, &allowed) < 0)
		return -ENOMEM;
	pairs = arena_array(arena, lines.n - 2, sizeof *pairs);
	if (!pairs)
		return -ENOMEM;
	all = (struct oci_annotations){ .items = pairs, .n = lines.n - 2 };
	for (size_t i = 0; i < all.n; i++) {
		char *key = (char *)lines.items[i + 2];
		char *value = strchr(key, '=');

		/* As of a JSON text. */
		if (!value || !fuzz_is_utf8(key))
			return fail(0, "not KEY=VALUE in UTF-8");
		*value = '\0';
		pairs[i] = (struct oci_annotation){ key, value + 1 };
	}
	return 0;
}

static int parse(struct arena *arena, const char *text, size_t len)
{
	int r = split(arena, text, len);

	policy = (struct policy){ 0 };
	profile = NULL;
	if (r < 0)
		return r;
	return policy_from_annotations(arena, &all, container, &allowed, &place,
				       &policy, &profile);
}

/* Annotations have no order; a JSON text has no key twice. */
static void demand_any_order(struct arena *arena)
{
	struct policy again = { 0 };
	const char *same = NULL;

	for (size_t i = 0; i < all.n; i++)
		for (size_t j = 0; j < i; j++)
			if (streq(pairs[i].key, pairs[j].key))
				return;
	for (size_t i = 0, j = all.n - 1; i < j; i++, j--) {
		struct oci_annotation first = pairs[i];

		pairs[i] = pairs[j];
		pairs[j] = first;
	}
	demand(policy_from_annotations(arena, &all, container, &allowed, &place,
				       &again, &same) == 0);
	demand(policy_equal(&policy, &again));
	demand(fuzz_same_text(profile, same));
}

/* The container's own annotations count, whatever its pod's are. */
static void demand_own_first(struct arena *arena)
{
	const char *prefix = arena_printf(arena, "%s.io.sandlock/",
					  container ? container : "");
	struct oci_annotation *own = arena_array(arena, all.n, sizeof *own);
	struct oci_annotations only = { .items = own };
	struct policy again = policy, narrow = { 0 };
	const char *same;

	if (!container)
		return;
	for (size_t i = 0; i < all.n; i++)
		if (starts_with(pairs[i].key, prefix))
			own[only.n++] = pairs[i];
	demand(policy_from_annotations(arena, &only, container, &allowed,
				       &place, &narrow, &same) == 0);
	policy_layer(&again, &narrow);
	demand(policy_equal(&policy, &again));
}

static void accepted(struct arena *arena)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (!policy.set[key])
			continue;
		demand(policy_is_annotated(&all));
		demand(info->bundle != POLICY_BUNDLE_NEVER);
		demand(allowed.n || info->bundle != POLICY_BUNDLE_ASK);
	}
	demand(!profile || !strchr(profile, '/'));
	demand_origins(&policy);
	demand_round_trip(arena, &policy, &place);
	demand_own_first(arena);
	demand_any_order(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
