/* SPDX-License-Identifier: Apache-2.0 */
/* base/text.c - build a text in the arena, escape it for terminals. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/utf8.h"

#define FIRST_SIZE 1024

/* Reserve len more bytes and a NUL. */
static int reserve(struct text *out, size_t len)
{
	size_t size = out->size ? out->size : FIRST_SIZE;
	char *text;

	if (out->error || len < out->size - out->len)
		return out->error;
	while (size - out->len <= len)
		size *= 2;
	text = arena_grow(out->arena, out->text, out->len, size, 1);
	if (!text) {
		out->error = -ENOMEM;
		return out->error;
	}
	out->text = text;
	out->size = size;
	return 0;
}

void text_put(struct text *out, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0 && reserve(out, (size_t)n) == 0) {
		vsnprintf(out->text + out->len, (size_t)n + 1, fmt, again);
		out->len += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

void text_put_quoted(struct text *out, const char *value)
{
	size_t left = strlen(value);

	text_put(out, "\"");
	for (const char *p = value; left && !out->error;) {
		size_t n = utf8_length(p, left);

		if (n == 0)
			out->error = fail(0, "'%s' is not valid UTF-8", value);
		else if (iscntrl((unsigned char)*p))
			text_put(out, "\\u%04x",
				 (unsigned int)(unsigned char)*p);
		else if (*p == '"' || *p == '\\')
			text_put(out, "\\%c", *p);
		else
			text_put(out, "%.*s", (int)n, p);
		p += n;
		left -= n;
	}
	text_put(out, "\"");
}

int text_close(struct text *out, const char **ret)
{
	text_put(out, "%s", "");
	if (out->error)
		return out->error;
	*ret = out->text;
	return 0;
}

/* Control characters: C0, DEL, C1 in UTF-8, and bytes that are not UTF-8. */
static bool is_obeyed(const char *text, size_t len)
{
	unsigned char c = (unsigned char)text[0];

	if (len == 0 || c < 0x20 || c == 0x7f)
		return true;
	return len == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0;
}

/* True for printable ASCII that needs no copy. */
static bool is_plain(const char *text, bool exactly)
{
	for (; *text; text++)
		if (*text < 0x20 || *text >= 0x7f || (exactly && *text == '\\'))
			return false;
	return true;
}

const char *text_escape(struct arena *arena, const char *text, bool exactly)
{
	static const char hex[] = "0123456789abcdef";
	size_t left = strlen(text);
	char *out, *at;

	if (is_plain(text, exactly))
		return text;
	out = at = arena_array(arena, 4 * left + 1, 1);
	if (!out)
		return NULL;
	while (left > 0) {
		size_t len = utf8_length(text, left);
		bool plainly = !is_obeyed(text, len) &&
			       !(exactly && *text == '\\');

		if (len == 0)
			len = 1;
		for (size_t i = 0; i < len; i++) {
			unsigned char c = (unsigned char)text[i];

			if (plainly) {
				*at++ = (char)c;
				continue;
			}
			*at++ = '\\';
			*at++ = 'x';
			*at++ = hex[c >> 4];
			*at++ = hex[c & 15];
		}
		text += len;
		left -= len;
	}
	*at = '\0';
	return out;
}
