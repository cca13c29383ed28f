/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/result.h - how a command in a sandbox ended, reported on
 * standard error, as standard output belongs to the command.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runtime/diagnose/ports.h"

struct arena;
struct denials;
struct event;
struct request;
struct workdirs;

struct result {
	int *signal; /* that killed it; shared with process 1 of the sandbox */
	struct timespec began;
	int status; /* of `sandlock run` itself */
	bool timed_out;
	bool sandboxed;
	uint32_t degraded; /* 1 << enum policy_protection */
	const char *error; /* our own error: nothing was run; or NULL */
	struct denials *denials;
	const char **events; /* all others, as JSON texts */
	size_t nevents, room, more_events;
	struct ports ports;
	bool denials_known; /* an empty list means that nothing was denied */
	struct workdirs *workdirs; /* NULL: none */
	bool began_staged;	   /* the command may have changed them */
};

/* Call this before the first process: the time starts here. */
int result_open(struct result *ret);
/* Keep an event that is no denial. */
void result_add(struct arena *arena, struct result *result,
		const struct event *event);
/*
 * Print the object of --json as the last line; or what was denied, if anything.
 */
int result_tell(struct arena *arena, const struct request *request,
		const struct result *result);
