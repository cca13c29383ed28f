/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/denials.h - a list of what a sandbox was denied, and by
 * which line of its policy.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "control/event.h"

struct arena;
struct writer;

struct denial {
	const char *operation; /* "read", "write", "execute", "connect", … */
	const char *target;    /* a path, an address, a system call */
	const char *key;      /* of the policy: "filesystem.deny"; NULL: note */
	const char *item;     /* the entry of the key; NULL: not listed */
	const char *note;     /* the reason, if there is no key */
	const char *add;      /* what allows it: flags, or a change of a file */
	const char *also;     /* a remark about add; or NULL */
	const char *advice;   /* what else to do, if nothing can be added */
	struct timespec time; /* when it was denied; 0: now */
};

struct denials {
	struct arena *arena;
	const char *cwd; /* shorten paths below it in lines; NULL: none */
	struct denial *items;
	size_t n, size;
	size_t more; /* number beyond those that are kept */
	/* Called for each that is added; NULL: not. */
	void (*added)(void *ctx, const struct denial *denial);
	void *ctx;
};

/* Add a denial, once for each operation and target; texts are copied. */
int denials_add(struct denials *denials, const struct denial *denial);
/* Print a line for each; control characters are escaped. */
int denials_print(const struct denials *denials, int fd);
/* Write them as an array. */
void denials_put(struct writer *w, const char *key,
		 const struct denials *denials);
/* "filesystem.deny: @known-secrets", "not in filesystem.read" */
const char *denial_reason(struct arena *arena, const struct denial *denial);
/*
 * "write out.json (not in filesystem.write); to allow it: -w @project", with
 * control characters escaped; NULL if out of memory.
 */
const char *denial_text(const struct denials *denials,
			const struct denial *denial);
/* The same in `run --json` and in events. */
struct event denial_event(struct arena *arena, const struct denial *denial);
