/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/policy.c - any value of any key, as annotation or flag: what is
 * taken must survive being written as a profile.
 *
 * The first byte is the key, the second the door, the rest the value.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/utf8.h"
#include "policy/keys.h"

static const struct policy_place place = {
	.cwd = "/srv/[d]", .home = "/home/u", .project = "/srv" };

static int as_annotation(struct arena *arena, enum policy_key key,
			 const char *value, struct policy *ret)
{
	const struct oci_annotation one = {
		.key = arena_printf(arena, "io.sandlock.%s",
				    policy_key_name(key)),
		.value = value };
	const struct oci_annotations all = { .items = &one, .n = 1 };
	struct oci_strings allowed;
	const char *profile;

	if (policy_asked_keys(arena, &allowed) < 0)
		return -1;
	return policy_from_annotations(arena, &all, NULL, &allowed, &place,
				       ret, &profile);
}

static int as_flag(struct arena *arena, enum policy_key key, const char *value,
		   struct policy *ret)
{
	const char *spelled = policy_key_info(key)->comma_flag;
	char *word = arena_printf(arena, "--%s",
				  spelled ? spelled : policy_key_name(key));
	int used;

	for (char *p = word; *p; p++)
		if (*p == '.' || *p == '_')
			*p = '-';
	word = arena_printf(arena, "%s=%s", word, value);
	return policy_from_flags(arena, &word, 1, &place, NULL, NULL, ret,
				 &used);
}

static bool is_utf8(const char *text)
{
	while (*text) {
		size_t n = utf8_length(text, strlen(text));

		if (n == 0)
			return false;
		text += n;
	}
	return true;
}

static void try_value(struct arena *arena, enum policy_key key, bool flag,
		      const char *value)
{
	struct policy policy = { 0 }, again = { 0 };
	const char *toml;
	int r = flag ? as_flag(arena, key, value, &policy)
		     : as_annotation(arena, key, value, &policy);

	if (r < 0 || !is_utf8(value))
		return;
	if (!policy.set[key] || policy_to_toml(arena, &policy, &toml) < 0 ||
	    policy_from_toml(arena, toml, strlen(toml), "x", &place,
			     &again) < 0 ||
	    !policy_equal(&policy, &again))
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct arena arena;
	char *value;

	if (size < 2 || arena_open(&arena, 16 << 20) < 0)
		return 0;
	value = arena_strndup(&arena, (const char *)data + 2, size - 2);
	if (value)
		try_value(&arena, data[0] % POLICY_KEYS, data[1] & 1, value);
	arena_close(&arena);
	return 0;
}
