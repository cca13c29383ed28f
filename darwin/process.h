/* SPDX-License-Identifier: Apache-2.0 */
/*
 * darwin/process.h - run a program under a Seatbelt profile, and wait for it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strings.h"

struct arena;
struct oci_rlimit;

#define DARWIN_TIMED_OUT 124
#define DARWIN_OUR_FAILURE 125
#define DARWIN_CANNOT_EXECUTE 126
#define DARWIN_NOT_FOUND 127

struct darwin_process {
	const char *profile;	/* NULL: no sandbox */
	struct strings command; /* ends with NULL */
	struct strings env;	/* likewise */
	const char *cwd;
	const struct oci_rlimit *rlimits;
	size_t nrlimits;
	bool has_umask;
	mode_t umask;
	uint64_t timeout_ms; /* 0: none */
};

/* How it ended. */
struct darwin_end {
	int status; /* as a shell has it */
	int signal; /* that killed it, or 0 */
	bool timed_out;
};

/*
 * Run it in a process group of its own and wait. Signals are passed on; at the
 * end, or after the timeout, the whole group is killed.
 */
int darwin_run(struct arena *arena, const struct darwin_process *process,
	       struct darwin_end *ret);
