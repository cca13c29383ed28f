/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/hint.h - what a caller must change so that a denied
 * operation is allowed: a flag, a line of a file, or an annotation.
 *
 * A flag replaces the list of a file, so for a list that a file has set the
 * hint is to change that file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

struct attribution;
struct denial;

/* A path that a program may not use, without links. */
struct hint_path {
	const char *path;
	uint32_t right; /* one of enum landlock_right */
	bool name;	/* a name in its directory is made or removed */
};

/*
 * Each returns NULL if out of memory. hint_add: "-w out", or "add \"/out\" to
 * filesystem.write in FILE"; value as in a profile.
 */
const char *hint_add(const struct attribution *attribution, enum policy_key key,
		     const char *value);
/* "remove --deny-read .env"; key: "section.key". */
const char *hint_remove(const struct attribution *attribution, const char *key,
			const char *item);
/* "remove --deny-read x, and add -r x": both are needed. */
const char *hint_both(const struct attribution *attribution, const char *remove,
		      const char *add);
/* "--network-mode open": for a key with one value. */
const char *hint_set(const struct attribution *attribution, enum policy_key key,
		     const char *value);
/* "a larger -m" */
const char *hint_raise(const struct attribution *attribution,
		       enum policy_key key);
/* Set add or advice of a denial for a path that no list has. */
int hint_path(const struct attribution *attribution,
	      const struct hint_path *wanted, struct denial *ret);
