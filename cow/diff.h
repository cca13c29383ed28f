/* SPDX-License-Identifier: Apache-2.0 */
/* cow/diff.h - the difference of two texts, as a unified diff. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct arena;

struct diff_text {
	const char *bytes;
	size_t len;
};

/* True if it has a NUL, as files have that are no text. */
bool diff_is_binary(const struct diff_text *text);
/*
 * Print the hunks that turn one text into the other. escape: replace bytes that
 * a terminal would interpret.
 */
int diff_print(struct arena *arena, FILE *out, const struct diff_text *old,
	       const struct diff_text *new, bool escape);
