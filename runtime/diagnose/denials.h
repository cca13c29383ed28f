/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/denials.h - what a sandbox was refused, and which line of its policy
 * decided that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct writer;

struct denial {
	const char *operation; /* "read", "write", "execute", "connect", … */
	const char *target;    /* a path, an address, a system call */
	const char *key;  /* of the policy: "filesystem.deny"; NULL: note */
	const char *item; /* what it has there; NULL: target is not listed */
	const char *note; /* the reason, where no key is */
	const char *add;  /* flags that would allow it; NULL: none, or many */
};

struct denials {
	struct arena *arena;
	struct denial *items;
	size_t n, size;
	size_t more; /* beyond those that are kept */
};

/* Once for each operation and target; texts are copied. */
int denials_add(struct denials *denials, const struct denial *denial);
/* One line each; what a name may do to a terminal is taken out. */
int denials_print(const struct denials *denials, int fd);
/* As an array. */
void denials_put(struct writer *w, const char *key,
		 const struct denials *denials);
/* "filesystem.deny: @known-secrets", "not listed in filesystem.read" */
const char *denial_reason(struct arena *arena, const struct denial *denial);
