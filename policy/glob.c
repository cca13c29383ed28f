/* SPDX-License-Identifier: Apache-2.0 */
/* policy/glob.c - match a component with its pattern; quote patterns. */
#include "policy/glob.h"

#include <string.h>

#include "base/arena.h"
#include "policy/glob_parts.h"

#define SPECIAL "*?[\\"

bool glob_part_is_wild(struct glob_part part)
{
	for (size_t i = 0; i < part.len; i++) {
		if (part.text[i] == '\\')
			i++;
		else if (strchr("*?[", part.text[i]))
			return true;
	}
	return false;
}

bool policy_is_glob(const char *pattern)
{
	return glob_part_is_wild(
		(struct glob_part){ pattern, strlen(pattern) });
}

/* Return the byte of a set at *p, which a backslash may quote. */
static unsigned char set_byte(const char **p, const char *end)
{
	if (**p == '\\' && *p + 1 < end)
		++*p;
	return (unsigned char)*(*p)++;
}

/*
 * True if the set at p contains the byte. *ret_end is the text after the set,
 * or NULL if "]" is missing, so that it is not a set.
 */
static bool set_has(const char *p, const char *end, unsigned char byte,
		    const char **ret_end)
{
	bool negated, found = false;
	const char *first;

	p++;
	negated = p < end && (*p == '!' || *p == '^');
	p += negated;
	*ret_end = NULL;
	for (first = p; p < end && (*p != ']' || p == first);) {
		unsigned char low = set_byte(&p, end), high = low;

		if (p + 1 < end && p[0] == '-' && p[1] != ']') {
			p++;
			high = set_byte(&p, end);
		}
		found = found || (byte >= low && byte <= high);
	}
	if (p < end)
		*ret_end = p + 1;
	return found != negated;
}

/* True if one element of the pattern, other than a star, matches the byte. */
static bool takes(const char *p, const char *end, char byte,
		  const char **ret_next)
{
	const char *after;
	bool has;

	*ret_next = p + 1;
	if (*p == '?')
		return true;
	if (*p == '[') {
		has = set_has(p, end, (unsigned char)byte, &after);
		if (after) {
			*ret_next = after;
			return has;
		}
	}
	if (*p == '\\' && p + 1 < end) {
		*ret_next = p + 2;
		return p[1] == byte;
	}
	return *p == byte;
}

/* Backtrack only to the last star: it can match whatever earlier ones can. */
bool glob_part_match(struct glob_part part, const char *name, size_t len)
{
	const char *p = part.text, *end = p + part.len, *next;
	const char *s = name, *stop = name + len;
	const char *star = NULL, *resume = NULL;

	for (;;) {
		if (p < end && *p == '*') {
			star = ++p;
			resume = s;
		} else if (s == stop) {
			return p == end;
		} else if (p < end && takes(p, end, *s, &next)) {
			p = next;
			s++;
		} else if (star) {
			p = star;
			s = ++resume;
		} else {
			return false;
		}
	}
}

struct glob_part glob_part_next(const char **p)
{
	struct glob_part part;

	*p += strspn(*p, "/");
	part.text = *p;
	part.len = strcspn(*p, "/");
	*p += part.len;
	*p += strspn(*p, "/");
	return part;
}

bool glob_part_is_deep(struct glob_part part)
{
	return part.len == 2 && memcmp(part.text, "**", 2) == 0;
}

bool policy_glob_is_deep(const char *pattern)
{
	while (*pattern)
		if (glob_part_is_deep(glob_part_next(&pattern)))
			return true;
	return false;
}

const char *policy_glob_quote(struct arena *arena, const char *text)
{
	char *quoted = arena_alloc(arena, 2 * strlen(text) + 1), *to = quoted;

	for (const char *p = text; quoted && *p; p++) {
		if (strchr(SPECIAL, *p))
			*to++ = '\\';
		*to++ = *p;
	}
	return quoted;
}

bool glob_part_unquote(struct glob_part part, char *ret, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < part.len; i++) {
		if (part.text[i] == '\\' && i + 1 < part.len)
			i++;
		if (n + 1 >= size)
			return false;
		ret[n++] = part.text[i];
	}
	ret[n] = '\0';
	return true;
}

const char *policy_glob_unquote(struct arena *arena, const char *pattern)
{
	struct glob_part all = { pattern, strlen(pattern) };
	char *plain = arena_alloc(arena, all.len + 1);

	if (plain)
		(void)glob_part_unquote(all, plain, all.len + 1);
	return plain;
}

const char *policy_glob_start(struct arena *arena, const char *pattern)
{
	struct glob_part plain = { pattern, 0 };
	char *path = arena_alloc(arena, strlen(pattern) + 2);

	if (!path)
		return NULL;
	for (const char *rest = pattern; *rest;) {
		struct glob_part part = glob_part_next(&rest);

		if (glob_part_is_wild(part))
			break;
		plain.len = (size_t)(part.text + part.len - pattern);
	}
	(void)glob_part_unquote(plain, path, strlen(pattern) + 1);
	if (!*path)
		path[0] = '/';
	return path;
}
