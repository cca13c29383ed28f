/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control/event.h - an event of a sandbox, the same in `events`, in the file of
 * --log and in `sandlock run --json`. docs/control.md has its members.
 */
#pragma once

#include <time.h>

struct arena;
struct writer;

struct event {
	const char *type;     /* "denied", "covered", "ended", … */
	const char *id;	      /* of the sandbox; NULL: its reader knows it */
	struct timespec time; /* 0: now */
	/* Each may be NULL, and is absent then. */
	const char *what; /* "read", "connect", "replace", … */
	const char *path; /* a path, an address, a system call */
	const char *key;  /* of the policy */
	const char *item; /* the entry of the key */
	const char *reason;
	const char *hint;
	/* Write the members that only this type has; NULL: none. */
	void (*put_more)(struct writer *w, const void *ctx);
	const void *ctx;
	const char *line; /* for the log; NULL: event_line makes it */
};

/* A denied name, or one on the way to it, was replaced outside. */
struct event event_covered(const char *path);
/* The sandbox was killed, because its policy could not be enforced. */
struct event event_ended(const char *why);
/* Put the members into the object that is open. */
void event_put(struct writer *w, const struct event *event);
/* "covered: replace /srv/.env (REASON); HINT"; NULL if out of memory. */
const char *event_line(struct arena *arena, const struct event *event);
