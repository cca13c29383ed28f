/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_number.c - parse numbers, booleans and times of TOML. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/toml_reader.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Remove underscores; each must be between two digits. */
static bool strip(char *word)
{
	bool hex = starts_with(word, "0x");
	char *out = word;

	for (const char *p = word; *p; p++) {
		unsigned char after = (unsigned char)p[1];
		unsigned char before = p > word ? (unsigned char)p[-1] : 0;

		if (*p != '_')
			*out++ = *p;
		else if (hex ? !isxdigit(before) || !isxdigit(after) :
			       !isdigit(before) || !isdigit(after))
			return false;
	}
	*out = '\0';
	return true;
}

static const char *skip_sign(const char *p)
{
	return p + (*p == '+' || *p == '-');
}

/* Skip at least one digit, else return NULL. */
static const char *skip_digits(const char *p)
{
	size_t n = strspn(p, DIGITS);

	return n ? p + n : NULL;
}

static bool has_leading_zero(const char *p)
{
	return p[0] == '0' && isdigit((unsigned char)p[1]);
}

/*
 * Return the base of an integer, 0 if the word is none; *ret_digits is its
 * first digit.
 */
static int base_of(const char *word, const char **ret_digits)
{
	static const struct {
		const char *prefix;
		int base;
		const char *digits;
	} bases[] = {
		{ "0x", 16, DIGITS "abcdefABCDEF" },
		{ "0o", 8, "01234567" },
		{ "0b", 2, "01" },
	};
	const char *p = skip_sign(word);

	for (size_t i = 0; i < COUNT(bases); i++)
		if (starts_with(word, bases[i].prefix)) {
			*ret_digits = p = word + 2;
			if (!*p || p[strspn(p, bases[i].digits)])
				return 0;
			return bases[i].base;
		}
	*ret_digits = p;
	return *p && !p[strspn(p, DIGITS)] && !has_leading_zero(p) ? 10 : 0;
}

static bool is_float(const char *word)
{
	const char *p = skip_sign(word);

	if (streq(p, "inf") || streq(p, "nan"))
		return true;
	if (has_leading_zero(p) || !(p = skip_digits(p)))
		return false;
	if (*p == '.' && !(p = skip_digits(p + 1)))
		return false;
	if ((*p == 'e' || *p == 'E') && !(p = skip_digits(skip_sign(p + 1))))
		return false;
	return !*p;
}

static bool to_integer(const char *digits, int base, bool negative,
		       int64_t *ret)
{
	uint64_t n;

	errno = 0;
	n = strtoull(digits, NULL, base);
	if (errno || n > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)-n : (int64_t)n;
	return true;
}

static int read_number(const struct toml_reader *r, char *word,
		       struct toml_value *ret)
{
	const char *digits;
	int base;

	if (!strip(word))
		return toml_fail(r, r->at,
				 "an underscore must be between digits");
	base = base_of(word, &digits);
	if (base) {
		ret->type = TOML_INTEGER;
		if (!to_integer(digits, base, *word == '-', &ret->integer))
			return toml_fail(r, r->at,
					 "%s does not fit into 64 bits", word);
		return 0;
	}
	if (!is_float(word))
		return toml_fail(r, r->at,
				 "'%s' is not a value (a string needs quotes)",
				 word);
	ret->type = TOML_FLOAT;
	ret->real = strtod(word, NULL);
	return 0;
}

/* A space may separate a date and a time. */
static size_t word_length(const char *p)
{
	static const char characters[] = LETTERS DIGITS "_+-.:";
	size_t n = strspn(p, characters);

	if (n == strlen("1979-05-27") && p[4] == '-' && p[n] == ' ' &&
	    isdigit((unsigned char)p[n + 1]))
		n += 1 + strspn(p + n + 1, characters);
	return n;
}

int toml_word(struct toml_reader *r, struct toml_value *ret)
{
	size_t len = word_length(r->at);
	char *word;
	int result = 0;

	if (len == 0)
		return toml_fail(r, r->at,
				 "expected a value, such as \"text\", 5, true "
				 "or [1, 2]");
	word = arena_strndup(r->arena, r->at, len);
	if (!word)
		return -ENOMEM;
	if (streq(word, "true") || streq(word, "false")) {
		ret->type = TOML_BOOL;
		ret->truth = *word == 't';
	} else if (toml_is_time(word)) {
		result = toml_time(r, word, ret);
	} else {
		result = read_number(r, word, ret);
	}
	r->at += len;
	return result;
}
