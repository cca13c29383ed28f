/* SPDX-License-Identifier: Apache-2.0 */
/* base/util.h - macros and helpers that every file uses. */
#pragma once

#include <stdbool.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static inline bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static inline bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && streq(text + n - m, end);
}

/* In most of config.json, absent and empty mean the same. */
static inline bool is_set(const char *text)
{
	return text && *text;
}
