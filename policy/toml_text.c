/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_text.c - check characters and report their positions. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/utf8.h"
#include "policy/toml_reader.h"

int toml_fail(const struct toml_reader *r, const char *at, const char *fmt, ...)
{
	unsigned line = 1, column = 1;
	char reason[512];
	va_list ap;

	for (const char *p = r->text; p < at; p++) {
		if (*p == '\n') {
			line++;
			column = 1;
		} else if ((*p & 0xc0) != 0x80) {
			column++;
		}
	}
	va_start(ap, fmt);
	vsnprintf(reason, sizeof reason, fmt, ap);
	va_end(ap);
	/*
	 * A key may contain control characters, which a terminal would
	 * interpret.
	 */
	for (char *p = reason; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	return fail(0, "line %u, column %u: %s", line, column, reason);
}

/* TOML forbids these in strings and comments, so everywhere. */
static bool is_forbidden(const char *p, size_t left)
{
	unsigned char c = (unsigned char)*p;

	if (c == '\r')
		return left < 2 || p[1] != '\n';
	return c == 0x7f || (c < 0x20 && c != '\t' && c != '\n');
}

int toml_clean(struct arena *arena, const char *text, size_t len,
	       const char **ret)
{
	struct toml_reader r = { .text = text };
	char *clean = arena_alloc(arena, len + 1), *out = clean;
	size_t n;

	if (!clean)
		return -ENOMEM;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return toml_fail(&r, text,
				 "begins with a byte order mark, which is not "
				 "allowed: remove it");
	for (size_t i = 0; i < len; i += n) {
		n = utf8_length(text + i, len - i);
		if (n == 0)
			return toml_fail(&r, text + i,
					 "this character is not UTF-8");
		if (is_forbidden(text + i, len - i))
			return toml_fail(&r, text + i,
					 "control character 0x%02x is not "
					 "allowed",
					 (unsigned char)text[i]);
		if (text[i] != '\r')
			out = (char *)memcpy(out, text + i, n) + n;
	}
	*ret = clean;
	return 0;
}
