/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/nearest.h - find the word that a misspelled one was meant to be: "did
 * you mean read?"
 */
#pragma once

#include <stddef.h>

#define NEAREST_MAX 64

struct nearest {
	const char *word; /* as it was typed */
	size_t len;
	size_t distance; /* of `best`, if that is set */
	char best[NEAREST_MAX];
};

struct nearest nearest_to(const char *word, size_t len);
/* Compare with a known word; shown: how to suggest it. */
void nearest_try(struct nearest *nearest, const char *known, const char *shown);
/* Return the best suggestion, or NULL if no word is similar. */
const char *nearest_found(const struct nearest *nearest);

/*
 * Count the letters to add, drop or change, and the neighbours to swap, to make
 * one word of the other; in either case, and "_" like "-".
 */
size_t nearest_distance(const char *a, size_t a_len, const char *b,
			size_t b_len);
