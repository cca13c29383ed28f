/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/seatbelt_quote.c - strings and regular expressions of a Seatbelt
 * profile.
 *
 * Everything that a policy puts into a profile passes through seatbelt_quote(),
 * so no text can end its string and add a rule.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/utf8.h"
#include "confine/seatbelt_parts.h"
#include "policy/glob_parts.h"

#define FIRST_PRINTABLE 0x20
#define DELETE 0x7f

static bool is_control(unsigned char byte)
{
	return byte < FIRST_PRINTABLE || byte == DELETE;
}

int seatbelt_quote(struct arena *arena, const char *text, const char **ret)
{
	char *quoted = arena_alloc(arena, 2 * strlen(text) + 3), *to = quoted;

	if (!quoted)
		return -ENOMEM;
	if (!utf8_is(text))
		return fail(0,
			    "'%s' is not valid UTF-8, which a Seatbelt profile "
			    "needs",
			    text);
	*to++ = '"';
	for (const char *p = text; *p; p++) {
		if (is_control((unsigned char)*p))
			return fail(0,
				    "'%s' contains a control character, which "
				    "a Seatbelt profile cannot contain",
				    text);
		if (*p == '"' || *p == '\\')
			*to++ = '\\';
		*to++ = *p;
	}
	*to++ = '"';
	*ret = quoted;
	return 0;
}

/* ---- regular expressions ---- */

/* Put one byte that stands for itself. */
static void put_byte(struct text *out, char byte, bool fold)
{
	if (fold && isalpha((unsigned char)byte) &&
	    isascii((unsigned char)byte))
		text_put(out, "[%c%c]", tolower(byte), toupper(byte));
	else if (strchr(".^$*+?()[]{}|\\", byte))
		text_put(out, "\\%c", byte);
	else
		text_put(out, "%c", byte);
}

/*
 * Return the bytes of the set at p, which begins with "[", or 0 if "]" is
 * missing, so that it is not a set.
 */
static size_t set_length(const char *p, size_t left)
{
	size_t i = 1, first;

	i += i < left && (p[i] == '!' || p[i] == '^');
	for (first = i; i < left && (p[i] != ']' || i == first); i++)
		i += p[i] == '\\' && i + 1 < left;
	return i < left ? i + 1 : 0;
}

struct set {
	bool has[UCHAR_MAX + 1];
	bool high; /* it has the bytes that are not ASCII */
};

/* A set of what does not match is taken as it is: all but "a" has "A". */
static int read_set(const char *pattern, struct glob_part part, bool fold,
		    struct set *ret)
{
	struct set set = { 0 };

	fold = fold && part.text[1] != '!' && part.text[1] != '^';

	for (int i = 1; i <= UCHAR_MAX; i++) {
		const char byte = (char)i;
		const char lower = (char)(i < 128 ? tolower(i) : i);
		const char upper = (char)(i < 128 ? toupper(i) : i);

		set.has[i] = i != '/' &&
			     (glob_part_match(part, &byte, 1) ||
			      (fold && (glob_part_match(part, &lower, 1) ||
					glob_part_match(part, &upper, 1))));
	}
	set.high = set.has[UCHAR_MAX];
	for (int i = 1; i <= UCHAR_MAX; i++)
		if (i > SCHAR_MAX ? set.has[i] != set.high :
				    is_control((unsigned char)i) &&
					    set.has[i] != set.high)
			return fail(0,
				    "'%s': the set '%.*s' cannot be written "
				    "for Seatbelt: only printable ASCII "
				    "characters can be in a set",
				    pattern, (int)part.len, part.text);
	*ret = set;
	return 0;
}

static bool is_empty(const struct set *set)
{
	for (int i = FIRST_PRINTABLE; i < DELETE; i++)
		if (set->has[i])
			return false;
	return true;
}

/* Put the members as alternatives: what is special in brackets is outside. */
static void put_members(struct text *out, const struct set *set)
{
	const char *between = "";

	for (int i = FIRST_PRINTABLE; i < DELETE; i++)
		if (set->has[i] && isalnum(i)) {
			text_put(out, *between ? "%c" : "[%c", i);
			between = "|";
		}
	text_put(out, "%s", *between ? "]" : "");
	for (int i = FIRST_PRINTABLE; i < DELETE; i++)
		if (set->has[i] && !isalnum(i)) {
			text_put(out, "%s", between);
			put_byte(out, (char)i, false);
			between = "|";
		}
}

static int put_set(struct text *out, const char *pattern, struct glob_part part,
		   bool fold)
{
	struct set set = { 0 };
	int r = read_set(pattern, part, fold, &set);

	if (r < 0)
		return r;
	if (!set.high) {
		if (is_empty(&set))
			return fail(0, "'%s': the set '%.*s' matches nothing",
				    pattern, (int)part.len, part.text);
		text_put(out, "(");
		put_members(out, &set);
		text_put(out, ")");
		return 0;
	}
	/* What is not in the set, between brackets. */
	text_put(out, "[^/");
	for (int i = FIRST_PRINTABLE; i < DELETE; i++) {
		if (set.has[i] || i == '/')
			continue;
		if (strchr("]^-\\[", i))
			return fail(0,
				    "'%s': the set '%.*s' cannot be written "
				    "for Seatbelt: it excludes '%c'",
				    pattern, (int)part.len, part.text, i);
		text_put(out, "%c", i);
	}
	text_put(out, "]");
	return 0;
}

static int put_part(struct text *out, const char *pattern,
		    struct glob_part part, bool fold)
{
	for (size_t i = 0; i < part.len; i++) {
		const char *p = part.text + i;
		size_t set = *p == '[' ? set_length(p, part.len - i) : 0;
		int r;

		if (*p == '*') {
			text_put(out, "[^/]*");
		} else if (*p == '?') {
			text_put(out, "[^/]");
		} else if (set) {
			r = put_set(out, pattern, (struct glob_part){ p, set },
				    fold);
			if (r < 0)
				return r;
			i += set - 1;
		} else {
			i += *p == '\\' && i + 1 < part.len;
			put_byte(out, part.text[i], fold);
		}
	}
	return 0;
}

int seatbelt_regex(struct arena *arena, const char *pattern,
		   struct seatbelt_match how, const char **ret)
{
	struct text out = { .arena = arena };
	const char *text;
	int r = 0;

	text_put(&out, "^");
	for (const char *rest = pattern; r == 0 && *rest;) {
		struct glob_part part = glob_part_next(&rest);

		if (part.len == 0)
			break;
		if (glob_part_is_deep(part)) {
			text_put(&out, *rest ? "(/[^/]+)*" : "/[^/]+");
			continue;
		}
		text_put(&out, "/");
		r = put_part(&out, pattern, part,
			     how.fold && part.text >= pattern + how.fold_from);
	}
	text_put(&out, "%s", how.alone ? "$" : "(/|$)");
	if (r == 0)
		r = text_close(&out, &text);
	return r < 0 ? r : seatbelt_quote(arena, text, ret);
}
