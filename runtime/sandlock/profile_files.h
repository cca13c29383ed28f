/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/profile_files.h - the profile files of this user and of the
 * system.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct profile_file {
	const char *name;
	const char *origin; /* "user", "system" or "built in" */
	const char *path;   /* NULL: only in the program */
};

struct profile_list {
	struct profile_file *items;
	size_t n;
	size_t width; /* of the longest name */
};

/*
 * List all profiles, sorted; of those with the same name, the one that is used.
 */
int profile_list(struct arena *arena, struct profile_list *ret);
/* Create a file in the user's folder; do not replace an existing one. */
int profile_create(struct arena *arena, const char *name, const char *text,
		   const char **ret_path);

/* What `sandlock profile VERB` was given; NULL: not given. */
struct profile_words {
	const char *argument;
	const char *kind;
};

/* The verbs of `sandlock profile`; argument NULL: none. */
struct profile_verb {
	const char *name;
	const char *argument;
	const char *help;
	int (*run)(struct arena *arena, const struct profile_words *words);
	bool takes_kind;
};

extern const struct profile_verb profile_verbs[];
extern const size_t profile_nverbs;
