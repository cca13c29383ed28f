/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/policy_doors.h - one key through a door, for the policy tests. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "policy/keys.h"

#define MAX_WORDS 8

static const struct policy_place at_home = { .cwd = "/srv/dir",
					     .home = "/home/u",
					     .project = "/srv" };
static const struct policy_place nowhere = { .bundle = true };

/* "key" of "section.key" */
static inline const char *key_of(const char *name)
{
	return strchr(name, '.') + 1;
}

/* "[section]\nkey = value\n" */
static inline const char *profile_of(struct arena *arena, const char *name,
				     const char *value)
{
	return arena_printf(arena, "[%.*s]\n%s = %s\n", (int)strcspn(name, "."),
			    name, key_of(name), value);
}

#define DOOR(door_)                                                         \
	int door_(struct arena *arena, const char *name, const char *value, \
		  const struct policy_place *place, struct policy *ret)

static inline DOOR(by_toml)
{
	const char *text = profile_of(arena, name, value);

	return policy_from_toml(arena, text, strlen(text), "x.toml", place,
				ret);
}

static inline DOOR(by_annotation)
{
	const struct oci_annotation one = {
		.key = arena_printf(arena, "io.sandlock.%s", name),
		.value = value
	};
	const struct oci_annotations all = { .items = &one, .n = 1 };
	struct strings allowed;
	const char *profile;

	if (policy_asked_keys(arena, &allowed) < 0)
		return -1;
	return policy_from_annotations(arena, &all, NULL, &allowed, place, ret,
				       &profile);
}

/* --section-key=value for each value, up to NULL. */
static inline int by_flags(struct arena *arena, const char *name,
			   const char *const *values,
			   const struct policy_place *place, struct policy *ret)
{
	char *words[MAX_WORDS];
	int n = 0;
	int used;

	for (; values[n]; n++) {
		words[n] = arena_printf(arena, "--%s=%s", name, values[n]);
		for (size_t i = 0; i < 2 + strlen(name); i++)
			if (words[n][i] == '.' || words[n][i] == '_')
				words[n][i] = '-';
	}
	return policy_from_flags(arena, words, n, place, NULL, NULL, ret,
				 &used);
}
