/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/request.h - a request for a sandbox: the caller's policy over
 * that of a profile or file, and a command.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/presets.h"

struct arena;
struct workdirs;

struct request {
	struct policy policy;	 /* of all layers, checked */
	struct strings command;	 /* ends with NULL; n 0: none was given */
	const char *profile;	 /* -p */
	const char *policy_file; /* --policy */
	const char *source; /* the file its policy was read from, or NULL */
	struct strings env_files; /* paths as given to --env-file */
	const char *name;	  /* --name, or sandbox-PID */
	bool named;		  /* by --name */
	const char *project;	  /* never NULL */
	const char *home;	  /* NULL: unknown */
	const char *cwd;	  /* the caller's */
	const char *hosts;	  /* pinned names; NULL: none */
	const char *resolver;	  /* /etc/resolv.conf; NULL: the host's */
	/* With their branches; NULL: none, or none is made. */
	const struct workdirs *workdirs;
	struct strings env; /* the caller's */
	enum policy_env_base env_base;
	uint64_t timeout_ms; /* 0: none */
	bool json;
	bool terminal;
	bool no_terminal;
	bool interactive;
	bool why;
	bool unsandboxed;
};

/* The arguments of a caller; zero means not given. */
struct request_wishes {
	struct policy policy; /* its keys replace those of the file */
	struct strings command;
	const char *config;  /* --config */
	const char *enforce; /* --enforce */
	const char *profile;
	const char *policy_file;
	const char *project;
	const char *name;
	struct strings env_files;
	uint64_t timeout_ms;
	bool json;
	bool terminal;
	bool no_terminal;
	bool interactive;
	bool why;
	bool unsandboxed;
};

/* Begin a request with the caller's directory, home and environment. */
int request_open(struct arena *arena, struct request *ret);
/* Return the base of the caller's relative paths. */
struct policy_place request_place(const struct request *request);
/*
 * Read the profile or file, and layer the caller's policy over it. Without a
 * command, use program and arguments of the profile.
 */
int request_make(struct arena *arena, const struct request_wishes *wishes,
		 struct request *ret);
/* List the directories of profiles, in order of search; NULL after the last. */
int request_profile_folders(struct arena *arena, const char *const **ret);
