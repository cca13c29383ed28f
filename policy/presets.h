/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/presets.h - named groups of paths and of variables, and the
 * environment that a policy leaves.
 *
 * Nothing here looks at the host by itself: what must be known comes through
 * the context, so that a bundle's presets are those of its own root.
 */
#pragma once

#include "policy/policy.h"

enum policy_os { POLICY_LINUX, POLICY_MACOS };

/* Names that mark a directory as a project; NULL after the last. */
extern const char *const policy_project_markers[];

struct policy_context {
	enum policy_os os;
	const char *home;    /* NULL: unknown, an error where it is needed */
	const char *project; /* the same */
	struct strings env;  /* KEY=VALUE */
	void *user;
	/* The text of a small file; NULL when there is none. */
	int (*read_file)(void *user, struct arena *arena, const char *path,
			 const char **ret);
	/* The path without links; NULL when there is none. */
	int (*real_path)(void *user, struct arena *arena, const char *path,
			 const char **ret);
	/* What a pattern matches; NULL: no pattern matches anything. */
	int (*find)(void *user, struct arena *arena, const char *pattern,
		    struct strings *ret);
};

/* Patterns as of policy/glob.h, absolute; all of them are optional. */
struct policy_preset {
	struct strings paths;
	struct strings except; /* what an allowing preset leaves out */
};

/* The members of a preset of paths; its name without the "@". */
int policy_path_preset(struct arena *arena, const char *name,
		       const struct policy_context *context,
		       struct policy_preset *ret);
/* NAME and PREFIX_* of a preset of variables; NULL-terminated, or NULL. */
const char *const *policy_env_preset(const char *name);
/* The names one by one, for messages and help; NULL after the last. */
const char *policy_path_preset_name(size_t index);
const char *policy_env_preset_name(size_t index);

/* What there is before allow_env, deny_env and env. */
enum policy_env_base {
	POLICY_ENV_NONE,  /* nothing: uv */
	POLICY_ENV_BASIC, /* the five of clean_env: sandlock run */
	POLICY_ENV_ALL,	  /* all, unless allow_env says which: bundles */
};

/* Which variables a process gets, of those that it is given. */
struct env_rules {
	struct strings keep; /* NAME or PREFIX*: the others are left out */
	struct strings deny; /* left out although they are in keep */
	struct strings put;  /* NAME=VALUE, instead of those of that name */
};

/*
 * clean_env makes the base basic; allow_env adds to it, and false or an empty
 * list leaves nothing; deny_env takes away; env has the last word.
 */
int policy_env_rules(struct arena *arena, const struct policy *policy,
		     enum policy_env_base base, struct env_rules *ret);
/* The environment inside, of one given as KEY=VALUE; ret may be given. */
int env_filter(struct arena *arena, const struct env_rules *rules,
	       const struct strings *given, struct strings *ret);
/* The entries of put instead of those of given that have the same name. */
int env_put(struct arena *arena, const struct strings *put,
	    const struct strings *given, struct strings *ret);
