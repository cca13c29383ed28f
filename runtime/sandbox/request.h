/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/request.h - what a sandbox is asked for: the caller's policy over that
 * of a profile or file, and a command.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/presets.h"

struct arena;

struct request {
	struct policy policy;	 /* of all layers, checked */
	struct strings command;	 /* ends with NULL; n 0: none was given */
	const char *profile;	 /* -p */
	const char *policy_file; /* --policy */
	const char *source; /* the file its policy was read from, or NULL */
	struct strings env_files; /* paths as given to --env-file */
	const char *name;	  /* --name, or sandbox-PID */
	const char *project;	  /* never NULL */
	const char *home;	  /* NULL: unknown */
	const char *cwd;	  /* the caller's */
	struct strings env;	  /* the same */
	enum policy_env_base env_base;
	uint64_t timeout_ms; /* 0: none */
	bool json;
	bool terminal;
	bool interactive;
	bool why;
	bool unsandboxed;
};

/* What a caller asks for. What is zero is not asked for. */
struct request_wishes {
	struct policy policy; /* its keys replace those of the file */
	struct strings command;
	const char *profile;
	const char *policy_file;
	const char *project;
	const char *name;
	struct strings env_files;
	uint64_t timeout_ms;
	bool json;
	bool terminal;
	bool interactive;
	bool why;
	bool unsandboxed;
};

/* Begin a request: the caller's directory, home and environment. */
int request_open(struct arena *arena, struct request *ret);
/* Where paths of the caller begin. */
struct policy_place request_place(const struct request *request);
/*
 * Read the profile or file, and put the wishes over it. The profile's program
 * and arguments are the command when none is given.
 */
int request_make(struct arena *arena, const struct request_wishes *wishes,
		 struct request *ret);
/* Where profiles are looked for; NULL after the last. */
int request_profile_folders(struct arena *arena, const char *const **ret);
