/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/text.h - build a text in the arena. Callers need not check errors: the
 * first one is kept, and text_close() returns it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct text {
	struct arena *arena;
	char *text;
	size_t len;
	size_t size;
	int error;
};

void text_put(struct text *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Append a basic string of TOML; fail if the value is not UTF-8. */
void text_put_quoted(struct text *out, const char *value);
int text_close(struct text *out, const char **ret);

/*
 * Replace bytes that a terminal would interpret by \xNN; NULL if out of memory.
 * exactly: also replace a backslash, so that no other text looks the same.
 */
const char *text_escape(struct arena *arena, const char *text, bool exactly);
