/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/request.h - what `sandlock run`, `explain` and `wrap` are asked for:
 * the policy of flags over that of a profile or file, and a command.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/presets.h"
#include "runtime/cli/command.h"

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
	bool help; /* nothing else was looked at */
};

/* The flags that are not a policy's, for --help and completion. */
extern const struct option_spec request_options[];
extern const size_t request_noptions;

/*
 * Parse the words behind the command's name. The profile's program and
 * arguments are the command when none is given.
 */
int request_parse(struct arena *arena, int argc, char **argv,
		  struct request *ret);
/* Where profiles are looked for; NULL after the last. */
int request_profile_folders(struct arena *arena, const char *const **ret);
