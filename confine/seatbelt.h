/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/seatbelt.h - a policy as a profile of Seatbelt, the sandbox of macOS.
 *
 * The functions are pure: they ask the machine only through the facts, so the
 * profile can be made, read and tested on any platform. In a profile the last
 * rule that matches an operation decides.
 */
#pragma once

#include <stdbool.h>

#include "policy/policy.h"
#include "policy/presets.h"

struct arena;

/* What is known of a Mac. */
struct seatbelt_facts {
	/* os is POLICY_MACOS; all functions but find are needed. */
	struct policy_context context;
	/*
	 * True if the context describes this machine: links are resolved, and
	 * missing paths are errors. Otherwise only the links that every Mac has
	 * are known.
	 */
	bool here;
	/* The names that a regular file has, 0 for anything else; or NULL. */
	unsigned long (*count_names)(const char *path);
	bool bundle; /* a section without a key is not restricted */
	/* The directories that denials treat as the project; outermost last. */
	struct strings projects;
	/* Policies of a later run, which nobody may write; absolute paths. */
	struct strings kept;
};

/* How a key is enforced on macOS. */
enum seatbelt_means {
	SEATBELT_REFUSED, /* by an error that names the key */
	SEATBELT_RULES,	  /* by rules of the profile */
	SEATBELT_PROGRAM, /* by sandlock, before it executes the command */
	SEATBELT_CGROUPS, /* an error, unless cgroups may be missing */
	SEATBELT_TRIVIAL, /* macOS always behaves like this */
};

struct seatbelt_key {
	enum seatbelt_means means;
	const char *how; /* the rule, the call, or the reason of the error */
};

/* Never NULL; a key that is not in the table is refused. */
const struct seatbelt_key *seatbelt_key(enum policy_key key);
/* How a protection is enforced on macOS, or why not. */
struct seatbelt_protection {
	bool held;
	const char *how;
};
const struct seatbelt_protection *
seatbelt_protection(enum policy_protection protection);

/* True if the policy asks for something by this key: not false, not empty. */
bool seatbelt_is_asked(const struct policy *policy, enum policy_key key);
/*
 * Return why a key that is asked for cannot be enforced on macOS; NULL if it
 * can, or if the policy permits that it is missing.
 */
const char *seatbelt_refuses(struct arena *arena, const struct policy *policy,
			     enum policy_key key);
/* True if the key is not enforced, and the policy permits that. */
bool seatbelt_loses(const struct policy *policy, enum policy_key key);

/* Make the profile; fail for the first key that cannot be enforced. */
int seatbelt_make(struct arena *arena, const struct policy *policy,
		  const struct seatbelt_facts *facts, const char **ret);

/*
 * Fill the facts of the caller's machine: files are read from here, and the
 * places are those of the caller. here is true on macOS. The home and the
 * project may be NULL; source is the file of the policy, or NULL.
 */
int seatbelt_find_facts(struct arena *arena, const char *home,
			const char *project, const char *source,
			const struct strings *env, struct seatbelt_facts *ret);
