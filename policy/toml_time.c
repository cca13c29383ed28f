/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_time.c - parse dates and times (RFC 3339). */
#include <ctype.h>
#include <string.h>

#include "policy/toml_reader.h"

static bool has_digits(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)p[i]))
			return false;
	return true;
}

bool toml_is_time(const char *word)
{
	return (has_digits(word, 4) && word[4] == '-') ||
	       (has_digits(word, 2) && word[2] == ':');
}

/* Read two digits after a mark, unless mark is NUL. */
static bool read_two(const char **p, char mark, unsigned max, uint8_t *ret)
{
	const char *digits = *p + (mark != '\0');
	unsigned n;

	if ((mark && **p != mark) || !has_digits(digits, 2))
		return false;
	n = (unsigned)(digits[0] - '0') * 10 + (unsigned)(digits[1] - '0');
	if (n > max)
		return false;
	*ret = (uint8_t)n;
	*p = digits + 2;
	return true;
}

static unsigned days_of(int year, unsigned month)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30,
					31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static bool read_date(const char **p, struct toml_datetime *ret)
{
	uint8_t century, year;

	if (!read_two(p, '\0', 99, &century) || !read_two(p, '\0', 99, &year))
		return false;
	ret->year = (int16_t)(century * 100 + year);
	return read_two(p, '-', 12, &ret->month) && ret->month > 0 &&
	       read_two(p, '-', days_of(ret->year, ret->month), &ret->day) &&
	       ret->day > 0;
}

/* Digits beyond the ninth are dropped, as TOML requires. */
static bool read_fraction(const char **p, uint32_t *ret)
{
	uint32_t unit = 100000000;

	if (**p != '.')
		return true;
	if (!has_digits(++*p, 1))
		return false;
	for (; has_digits(*p, 1); ++*p, unit /= 10)
		*ret += unit * (uint32_t)(**p - '0');
	return true;
}

/* Second 60 is a leap second; accept it in every minute. */
static bool read_clock(const char **p, struct toml_datetime *ret)
{
	return read_two(p, '\0', 23, &ret->hour) &&
	       read_two(p, ':', 59, &ret->minute) &&
	       read_two(p, ':', 60, &ret->second) &&
	       read_fraction(p, &ret->nanosecond);
}

static bool read_offset(const char **p, int16_t *ret)
{
	int sign = **p == '-' ? -1 : 1;
	uint8_t hours, minutes;

	if (**p == 'Z' || **p == 'z') {
		++*p;
		return true;
	}
	if (**p != '+' && **p != '-')
		return false;
	++*p;
	if (!read_two(p, '\0', 23, &hours) || !read_two(p, ':', 59, &minutes))
		return false;
	*ret = (int16_t)(sign * (hours * 60 + minutes));
	return true;
}

static bool read_time(const char *p, struct toml_value *ret)
{
	if (p[2] == ':') {
		ret->type = TOML_LOCAL_TIME;
		return read_clock(&p, &ret->time) && !*p;
	}
	ret->type = TOML_LOCAL_DATE;
	if (!read_date(&p, &ret->time))
		return false;
	if (!*p)
		return true;
	ret->type = TOML_LOCAL_DATETIME;
	if (!strchr("Tt ", *p++) || !read_clock(&p, &ret->time))
		return false;
	if (!*p)
		return true;
	ret->type = TOML_DATETIME;
	return read_offset(&p, &ret->time.offset) && !*p;
}

int toml_time(const struct toml_reader *r, const char *word,
	      struct toml_value *ret)
{
	ret->time = (struct toml_datetime){ 0 };
	if (!read_time(word, ret))
		return toml_fail(r, r->at, "no such date or time: %s", word);
	return 0;
}
