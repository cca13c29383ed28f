/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/text.h - a text that grows in the arena. Nothing has to be checked on
 * the way: the first failure stays and text_close() returns it.
 */
#pragma once

#include <stddef.h>

struct arena;

struct policy_text {
	struct arena *arena;
	char *text;
	size_t len;
	size_t size;
	int error;
};

void text_put(struct policy_text *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* As a basic string of TOML; what is not UTF-8 cannot be one. */
void text_put_quoted(struct policy_text *out, const char *value);
int text_close(struct policy_text *out, const char **ret);
