/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/policy_doors.h - one key through a door, for the policy tests. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "policy/keys.h"
#include "tests/unit/policy_asked.h"

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
	struct policy_flags *flags = policy_flags_open(arena, place);
	const struct flag_owner owner = policy_flags_owner(flags);
	char *flag = arena_printf(arena, "--%s", name);
	bool is_switch;
	int id, r = 0;

	if (!flags || !flag)
		return -1;
	for (char *p = flag; *p; p++)
		if (*p == '.' || *p == '_')
			*p = '-';
	id = owner.find(flag, strlen(flag), &is_switch);
	for (size_t i = 0; id >= 0 && r >= 0 && values[i]; i++)
		r = owner.take(owner.user, id, flag, values[i]);
	if (id < 0 || r < 0)
		return id < 0 ? id : r;
	return policy_flags_close(flags, ret);
}
