/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/result.h - how a command in a sandbox ended, as `sandlock run` tells
 * it on standard error: standard output is the command's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct arena;
struct denials;
struct request;

struct result {
	int *signal; /* what ended it; shared with process 1 of the sandbox */
	struct timespec began;
	int status; /* of `sandlock run` itself */
	bool timed_out;
	bool sandboxed;
	uint32_t degraded; /* 1 << enum policy_protection */
	const char *error; /* of ours: nothing was run; or NULL */
	struct denials *denials;
	bool denials_known; /* somebody looked: an empty list means none */
};

/* Before the first process: time runs from here. */
int result_open(struct result *ret);
/* The object of --json as the last line; or what was denied, if anything. */
int result_tell(struct arena *arena, const struct request *request,
		const struct result *result);
