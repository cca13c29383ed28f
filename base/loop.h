/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/loop.h - one event loop: wait for descriptors and times, call what is
 * registered for them.
 *
 * It allocates nothing: a loop is a value with a fixed number of places, and
 * LOOP_NONE is an empty one. It owns no descriptor; remove a descriptor before
 * you close it. A pidfd is a descriptor like others, readable when its process
 * has ended.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOP_SOURCES 64
#define LOOP_TIMERS 16

struct loop_source {
	int fd;	      /* -1: not watched at present */
	short events; /* as for poll(2); 0: only errors and hang-ups */
	short revents;
	/*
	 * Called with the events that poll(2) reported; a negative result ends
	 * loop_turn with this error. It may add and remove any source.
	 */
	int (*ready)(void *ctx, short revents);
	void *ctx;
};

struct loop_timer {
	int64_t at; /* as now_ms() counts; 0: not running */
	/* Called once for each start of the timer; may start it again. */
	int (*due)(void *ctx);
	void *ctx;
};

struct loop {
	struct loop_source sources[LOOP_SOURCES]; /* ready NULL: free */
	struct loop_timer timers[LOOP_TIMERS];	  /* due NULL: free */
	size_t nsources;			  /* highest place in use + 1 */
	bool ends;
	int result;
};

#define LOOP_NONE             \
	{                     \
		.ends = false \
	}

/*
 * Call ready when one of the events occurs. Return a number for loop_watch and
 * loop_remove, or -ENOSPC. Sources are called in the order of their numbers.
 */
int loop_add(struct loop *loop, int fd, short events,
	     int (*ready)(void *ctx, short revents), void *ctx);
/* Change what a source waits for; events that have arrived are forgotten. */
void loop_watch(struct loop *loop, int number, int fd, short events);
/* Forget a source; a negative number is none. */
void loop_remove(struct loop *loop, int number);

/* Make a timer that does not run yet; its number, or -ENOSPC. */
int loop_timer_add(struct loop *loop, int (*due)(void *ctx), void *ctx);
/* Start a timer, or start it anew, for a time of now_ms(); 0 stops it. */
void loop_timer_set(struct loop *loop, int number, int64_t at);
void loop_timer_remove(struct loop *loop, int number);

/*
 * Wait for events, at most timeout milliseconds (-1: for ever), and call what is
 * registered for them: timers first.
 */
int loop_turn(struct loop *loop, int timeout);
/* Take turns until loop_end is called; return its result, or an error. */
int loop_run(struct loop *loop);
/* Have loop_run return the result after this turn. */
void loop_end(struct loop *loop, int result);
