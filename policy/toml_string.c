/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_string.c - parse the four kinds of strings and their escapes. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "policy/toml_reader.h"

static bool is_tripled(const char *p)
{
	return p[0] == p[1] && p[0] == p[2];
}

/*
 * Return the closing quote (the first of three), or NULL. One or two quotes
 * before three closing ones are part of the text.
 */
static const char *find_end(const char *p, char quote, bool lines)
{
	for (; *p; p++) {
		if (*p == '\n' && !lines)
			return NULL;
		if (*p == '\\' && quote == '"' && p[1] && p[1] != '\n') {
			p++;
		} else if (*p == quote && !lines) {
			return p;
		} else if (*p == quote && is_tripled(p)) {
			size_t n = 3;

			while (n < 5 && p[n] == quote)
				n++;
			return p + n - 3;
		}
	}
	return NULL;
}

static char *put_utf8(char *out, uint32_t c)
{
	unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };

	*out++ = (char)(first[more] | c >> 6 * more);
	while (more-- > 0)
		*out++ = (char)(0x80 | (c >> 6 * more & 0x3f));
	return out;
}

/* Parse \uXXXX or \UXXXXXXXX at p; return the position after it, or NULL. */
static const char *read_code(const struct toml_reader *r, const char *p,
			     char **out)
{
	size_t digits = p[1] == 'u' ? 4 : 8;
	char hex[9] = "";
	uint32_t c;

	memcpy(hex, p + 2, strnlen(p + 2, digits));
	if (strspn(hex, "0123456789abcdefABCDEF") != digits) {
		toml_fail(r, p, "\\%c needs %zu hexadecimal digits", p[1],
			  digits);
		return NULL;
	}
	c = (uint32_t)strtoul(hex, NULL, 16);
	if (c == 0) {
		toml_fail(r, p, "a NUL character is not supported in a string");
		return NULL;
	}
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
		toml_fail(r, p, "\\%c%s is not a Unicode character", p[1], hex);
		return NULL;
	}
	*out = put_utf8(*out, c);
	return p + 2 + digits;
}

/* Parse the escape at p; return the position after it, or NULL. */
static const char *read_escape(const struct toml_reader *r, const char *p,
			       bool lines, char **out)
{
	static const char letters[] = "btnfr\"\\";
	static const char meaning[] = "\b\t\n\f\r\"\\";
	const char *found = memchr(letters, p[1], sizeof letters - 1);
	const char *end_of_line = p + 1 + strspn(p + 1, " \t");

	if (found) {
		*(*out)++ = meaning[found - letters];
		return p + 2;
	}
	if (p[1] == 'u' || p[1] == 'U')
		return read_code(r, p, out);
	if (lines && *end_of_line == '\n')
		return end_of_line + strspn(end_of_line, " \t\n");
	toml_fail(r, p,
		  "unknown escape '\\%.*s' in a string (write \\\\ for a "
		  "backslash)",
		  (int)utf8_length(p + 1, strlen(p + 1)), p + 1);
	return NULL;
}

int toml_string(struct toml_reader *r, bool lines, const char **ret_text,
		size_t *ret_len)
{
	const char *start = r->at, *end;
	char quote = *start, *text, *out;

	lines = lines && is_tripled(start);
	start += lines ? 3 : 1;
	end = find_end(start, quote, lines);
	if (!end)
		return toml_fail(r, r->at, "this string has no closing quote");
	if (lines && *start == '\n')
		start++;
	/* No escape is shorter than its character. */
	out = text = arena_alloc(r->arena, (size_t)(end - start) + 1);
	if (!text)
		return -ENOMEM;
	for (const char *p = start; p < end;) {
		if (*p != '\\' || quote == '\'')
			*out++ = *p++;
		else if (!(p = read_escape(r, p, lines, &out)))
			return -1;
	}
	r->at = end + (lines ? 3 : 1);
	*ret_text = text;
	*ret_len = (size_t)(out - text);
	return 0;
}
