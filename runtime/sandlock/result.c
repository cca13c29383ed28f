/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/result.c - report how a command ended, as text or JSON. */
#include "runtime/sandlock/result.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "control/event.h"
#include "cow/workdirs.h"
#include "oci/write.h"
#include "runtime/denials/denials.h"
#include "runtime/launch/foreground.h"
#include "runtime/sandbox/request.h"

#define MOST_EVENTS 1000 /* of --json */

int result_open(struct result *ret)
{
	/* Shared memory, so that process 1 can write the signal. */
	void *shared = mmap(NULL, sizeof *ret->signal, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return fail(errno,
			    "allocate memory that the sandbox and sandlock "
			    "share");
	ret->signal = shared;
	clock_gettime(CLOCK_MONOTONIC, &ret->began);
	ret->sandboxed = true;
	return 0;
}

void result_add(struct arena *arena, struct result *result,
		const struct event *event)
{
	const char **grown, *text;
	struct writer w;

	if (result->nevents == MOST_EVENTS) {
		result->more_events++;
		return;
	}
	grown = arena_room(arena, result->events, result->nevents,
			   &result->room, sizeof *grown);
	if (!grown)
		return;
	result->events = grown;
	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	event_put(&w, event);
	put_end(&w);
	if (writer_close(&w, &text, NULL) >= 0)
		result->events[result->nevents++] = text;
}

/* Format seconds with three digits, as a number of JSON. */
static const char *duration(struct arena *arena, const struct timespec *began)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(now.tv_sec - began->tv_sec) * 1000 +
	     (now.tv_nsec - began->tv_nsec) / 1000000;
	return arena_printf(arena, "%jd.%03jd", (intmax_t)(ms / 1000),
			    (intmax_t)(ms % 1000));
}

static void put_degraded(struct writer *w, uint32_t degraded)
{
	put_array(w, "degraded");
	for (int i = 0; i < PROTECT_COUNT; i++)
		if (degraded >> i & 1)
			put_string(w, NULL,
				   policy_protection_name(
					   (enum policy_protection)i));
	put_end(w);
}

static void put_events(struct writer *w, const struct result *result)
{
	put_array(w, "events");
	for (size_t i = 0; i < result->nevents; i++)
		put_json(w, NULL, result->events[i]);
	put_end(w);
	if (result->more_events)
		put_u64(w, "events_more", result->more_events);
}

static int tell_json(struct arena *arena, const struct request *request,
		     const struct result *result)
{
	const char *seconds = duration(arena, &result->began), *text;
	struct writer w;
	size_t len;
	int r;

	if (!seconds)
		return -ENOMEM;
	writer_open(&w, arena, WRITE_LINE);
	put_object(&w, NULL);
	put_string(&w, "name", request->name);
	put_i64(&w, "status", result->status);
	if (*result->signal)
		put_i64(&w, "signal", *result->signal);
	if (result->error)
		put_string(&w, "error", result->error);
	put_bool(&w, "timed_out", result->timed_out);
	put_bool(&w, "sandboxed", result->sandboxed);
	put_degraded(&w, result->degraded);
	put_number(&w, "duration", seconds);
	if (result->ports.n)
		ports_put(&w, "ports", &result->ports);
	if (result->denials_known || result->denials->n)
		denials_put(&w, "denied", result->denials);
	else
		put_string(&w, "denied", NULL);
	if (result->denials->more)
		put_u64(&w, "denied_more", result->denials->more);
	if (result->sandboxed)
		put_events(&w, result);
	if (result->workdirs && result->workdirs->n)
		workdirs_put(&w, "branches", result->workdirs);
	put_end(&w);
	r = writer_close(&w, &text, &len);
	if (r < 0)
		return r;
	r = io_write_all(STDERR_FILENO, text, len);
	return r < 0 ? fail(-r, "write the result of --json to stderr") : 0;
}

/* Signals by which a person or another program ends a command. */
static bool is_ended(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP ||
	       signal == SIGKILL || signal == SIGPIPE || signal == SIGQUIT;
}

/* The command failed, and nothing is known about denials. */
static bool may_be_denied(const struct result *result)
{
	if (result->timed_out || result->error || !result->sandboxed ||
	    result->denials_known || result->denials->n)
		return false;
	return result->status != 0 && !is_ended(*result->signal);
}

int result_tell(struct arena *arena, const struct request *request,
		const struct result *result)
{
	if (request->json)
		return tell_json(arena, request, result);
	if (result->status != 0 || request->why) {
		int r = denials_print(result->denials, STDERR_FILENO);

		if (r < 0)
			return r;
	}
	if (result->workdirs)
		workdirs_tell(result->workdirs, STDERR_FILENO);
	if (may_be_denied(result))
		dprintf(STDERR_FILENO, "sandlock: use --why to see whether "
				       "anything was denied\n");
	return 0;
}
