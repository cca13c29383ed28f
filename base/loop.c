/* SPDX-License-Identifier: Apache-2.0 */
/* base/loop.c - wait with poll(2), and call what is registered. */
#include "base/loop.h"

#include <errno.h>
#include <limits.h>

#include "base/clock.h"
#include "base/err.h"

#define MOST_TRIES 4

int loop_add(struct loop *loop, int fd, short events,
	     int (*ready)(void *ctx, short revents), void *ctx)
{
	size_t i = 0;

	while (i < LOOP_SOURCES && loop->sources[i].ready)
		i++;
	if (i == LOOP_SOURCES)
		return fail(ENOSPC, "wait for more than %d descriptors",
			    LOOP_SOURCES);
	loop->sources[i] = (struct loop_source){
		.fd = fd,
		.events = events,
		.ready = ready,
		.ctx = ctx,
	};
	if (i >= loop->nsources)
		loop->nsources = i + 1;
	return (int)i;
}

void loop_watch(struct loop *loop, int number, int fd, short events)
{
	struct loop_source *source = &loop->sources[number];

	source->fd = fd;
	source->events = events;
	source->revents = 0;
}

void loop_remove(struct loop *loop, int number)
{
	if (number < 0)
		return;
	loop->sources[number] = (struct loop_source){ .fd = -1 };
	while (loop->nsources > 0 && !loop->sources[loop->nsources - 1].ready)
		loop->nsources--;
}

int loop_timer_add(struct loop *loop, int (*due)(void *ctx), void *ctx)
{
	size_t i = 0;

	while (i < LOOP_TIMERS && loop->timers[i].due)
		i++;
	if (i == LOOP_TIMERS)
		return fail(ENOSPC, "wait for more than %d times", LOOP_TIMERS);
	loop->timers[i] = (struct loop_timer){ .due = due, .ctx = ctx };
	return (int)i;
}

void loop_timer_set(struct loop *loop, int number, int64_t at)
{
	loop->timers[number].at = at;
}

void loop_timer_remove(struct loop *loop, int number)
{
	if (number >= 0)
		loop->timers[number] = (struct loop_timer){ .at = 0 };
}

/* The timeout for poll: the time to the first timer, or the caller's. */
static int time_left(const struct loop *loop, int timeout)
{
	int64_t first = 0, left;

	for (size_t i = 0; i < LOOP_TIMERS; i++) {
		int64_t at = loop->timers[i].at;

		if (at && (!first || at < first))
			first = at;
	}
	if (!first)
		return timeout;
	left = first - now_ms();
	if (left < 0)
		left = 0;
	if (left > INT_MAX)
		left = INT_MAX;
	return timeout >= 0 && timeout < left ? timeout : (int)left;
}

static int wait_for_events(struct loop *loop, int timeout)
{
	struct pollfd fds[LOOP_SOURCES];
	size_t n = loop->nsources;
	int found;

	for (size_t i = 0; i < n; i++) {
		const struct loop_source *source = &loop->sources[i];

		fds[i] = (struct pollfd){
			.fd = source->ready ? source->fd : -1,
			.events = source->events,
		};
	}
	/* A container shall not end because memory was short for an instant. */
	for (int tries = 1;; tries++) {
		found = poll(fds, n, time_left(loop, timeout));
		if (found >= 0 || errno == EINTR)
			break;
		if (tries == MOST_TRIES)
			return fail(errno, "wait for events");
	}
	for (size_t i = 0; i < n; i++)
		loop->sources[i].revents = found > 0 ? fds[i].revents : 0;
	return 0;
}

static int call_timers(struct loop *loop)
{
	for (size_t i = 0; i < LOOP_TIMERS; i++) {
		struct loop_timer *timer = &loop->timers[i];
		int r;

		if (!timer->at || now_ms() < timer->at)
			continue;
		timer->at = 0;
		r = timer->due(timer->ctx);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A source that is added or changed in between has no events of this turn. */
static int call_sources(struct loop *loop)
{
	for (size_t i = 0; i < loop->nsources; i++) {
		struct loop_source *source = &loop->sources[i];
		short revents = source->revents;
		int r;

		source->revents = 0;
		r = revents ? source->ready(source->ctx, revents) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int loop_turn(struct loop *loop, int timeout)
{
	int r = wait_for_events(loop, timeout);

	if (r >= 0)
		r = call_timers(loop);
	return r < 0 ? r : call_sources(loop);
}

int loop_run(struct loop *loop)
{
	int r = 0;

	loop->ends = false;
	while (r >= 0 && !loop->ends)
		r = loop_turn(loop, -1);
	return r < 0 ? r : loop->result;
}

void loop_end(struct loop *loop, int result)
{
	loop->ends = true;
	loop->result = result;
}
