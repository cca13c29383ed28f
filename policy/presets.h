/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/presets.h - named groups of paths and of variables, and the
 * environment of a workload.
 *
 * These functions do not access the host themselves, but through the context,
 * so that presets of a bundle are those of its own root.
 */
#pragma once

#include "policy/policy.h"

enum policy_os { POLICY_LINUX, POLICY_MACOS };

/* Names that mark a directory as a project; NULL after the last. */
extern const char *const policy_project_markers[];

struct policy_context {
	enum policy_os os;
	const char *home;    /* NULL: unknown, an error if needed */
	const char *project; /* likewise */
	struct strings env;  /* KEY=VALUE */
	void *user;
	/* Get the text of a small file; NULL if it does not exist. */
	int (*read_file)(void *user, struct arena *arena, const char *path,
			 const char **ret);
	/* Resolve links of a path; NULL if it does not exist. */
	int (*real_path)(void *user, struct arena *arena, const char *path,
			 const char **ret);
	/* Find the matches of a pattern; NULL: patterns match nothing. */
	int (*find)(void *user, struct arena *arena, const char *pattern,
		    struct strings *ret);
};

/* Absolute patterns as in policy/glob.h; all of them are optional. */
struct policy_preset {
	struct strings paths;
	struct strings except; /* exceptions of an allowing preset */
};

/* Get the members of a preset of paths; its name is without the "@". */
int policy_path_preset(struct arena *arena, const char *name,
		       const struct policy_context *context,
		       struct policy_preset *ret);
/* Return NAME and PREFIX_* of a preset of variables, up to NULL; or NULL. */
const char *const *policy_env_preset(const char *name);
/* Return the names one by one, for messages and help; NULL after the last. */
const char *policy_path_preset_name(size_t index);
const char *policy_env_preset_name(size_t index);

/* The environment before allow_env, deny_env and env apply. */
enum policy_env_base {
	POLICY_ENV_NONE,  /* empty: uv */
	POLICY_ENV_BASIC, /* the five of clean_env: sandlock run */
	POLICY_ENV_ALL,	  /* everything, unless allow_env is set: bundles */
};

/* Rules that select and set the variables of a process. */
struct env_rules {
	struct strings keep; /* NAME or PREFIX*: others are removed */
	struct strings deny; /* removed even if in keep */
	struct strings put;  /* NAME=VALUE, replaces that name */
	struct strings held; /* NAME or PREFIX*: nobody may set these later */
};

/*
 * Make the rules of a policy: clean_env makes the base basic; allow_env adds to
 * it, and false or an empty list leaves nothing; deny_env removes; env is
 * applied last, and after it the variables of proxies.
 */
int policy_env_rules(struct arena *arena, const struct policy *policy,
		     enum policy_env_base base, struct env_rules *ret);
/* Filter an environment of KEY=VALUE; ret may be `given`. */
int env_filter(struct arena *arena, const struct env_rules *rules,
	       const struct strings *given, struct strings *ret);
/*
 * Return the first entry of `given` that a floor does not leave to the caller,
 * or NULL.
 */
const char *env_held(const struct env_rules *rules,
		     const struct strings *given);
/*
 * Replace entries of `given` by those of `put` with the same name, and add
 * others.
 */
int env_put(struct arena *arena, const struct strings *put,
	    const struct strings *given, struct strings *ret);
