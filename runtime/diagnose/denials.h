/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/denials.h - a list of what a sandbox was denied, and by
 * which line of its policy.
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
	const char *item; /* the entry of the key; NULL: not listed */
	const char *note; /* the reason, if there is no key */
	const char *add;  /* flags that would allow it; NULL: none, or many */
};

struct denials {
	struct arena *arena;
	struct denial *items;
	size_t n, size;
	size_t more; /* number beyond those that are kept */
};

/* Add a denial, once for each operation and target; texts are copied. */
int denials_add(struct denials *denials, const struct denial *denial);
/* Print a line for each; control characters are escaped. */
int denials_print(const struct denials *denials, int fd);
/* Write them as an array. */
void denials_put(struct writer *w, const char *key,
		 const struct denials *denials);
/* "filesystem.deny: @known-secrets", "not listed in filesystem.read" */
const char *denial_reason(struct arena *arena, const struct denial *denial);
