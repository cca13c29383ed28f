/* SPDX-License-Identifier: Apache-2.0 */
/* policy/time.c - parse times: seconds with a fraction, or RFC 3339. */
#include <ctype.h>
#include <string.h>

#include "policy/values.h"

#define NANOSECONDS 1000000000
#define DAY INT64_C(86400)
#define LAST_SECOND (INT64_MAX / NANOSECONDS - 1)

bool policy_time_is_valid(const struct policy_time *time)
{
	return time->seconds >= 0 && time->seconds <= LAST_SECOND &&
	       time->nanoseconds < NANOSECONDS;
}

bool policy_time_from_real(double seconds, struct policy_time *ret)
{
	struct policy_time time = { 0 };

	/* This condition also fails for NaN. */
	if (!(seconds >= 0 && seconds <= (double)LAST_SECOND))
		return false;
	time.seconds = (int64_t)seconds;
	time.nanoseconds =
		(uint32_t)((seconds - (double)time.seconds) * NANOSECONDS +
			   0.5);
	if (time.nanoseconds == NANOSECONDS) {
		time.seconds++;
		time.nanoseconds = 0;
	}
	*ret = time;
	return policy_time_is_valid(ret);
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

bool policy_time_from_date(int year, int month, int day, int64_t *ret)
{
	static const int lengths[] = { 31, 28, 31, 30, 31, 30,
				       31, 31, 30, 31, 30, 31 };
	int64_t days = 0;

	if (year < 1970 || year > 9999 || month < 1 || month > 12 || day < 1 ||
	    day > lengths[month - 1] + (month == 2 && is_leap(year)))
		return false;
	for (int y = 1970; y < year; y++)
		days += 365 + is_leap(y);
	for (int m = 1; m < month; m++)
		days += lengths[m - 1] + (m == 2 && is_leap(year));
	*ret = (days + day - 1) * DAY;
	return true;
}

/* Read exactly n digits, at most max; advance *text. */
static bool digits(const char **text, int n, int max, int *ret)
{
	int value = 0;

	for (; n > 0; n--, (*text)++) {
		if (!isdigit((unsigned char)**text))
			return false;
		value = 10 * value + (**text - '0');
	}
	*ret = value;
	return value <= max;
}

static bool skip(const char **text, const char *any)
{
	if (**text == '\0' || !strchr(any, **text))
		return false;
	(*text)++;
	return true;
}

/* Read ".25" to nanoseconds and ignore further digits. No fraction is 0. */
static bool fraction(const char **text, uint32_t *ret)
{
	uint32_t value = 0;
	uint32_t unit = NANOSECONDS;

	*ret = 0;
	if (!skip(text, "."))
		return true;
	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); (*text)++) {
		unit /= 10;
		value += unit * (uint32_t)(**text - '0');
	}
	*ret = value;
	return true;
}

/* Read Z or +HH:MM, in seconds; without a zone it is UTC. */
static bool zone(const char **text, int *ret)
{
	int sign = **text == '-' ? -1 : 1;
	int hour = 0;
	int minute = 0;

	*ret = 0;
	if (**text == '\0' || skip(text, "Zz"))
		return true;
	if (!skip(text, "+-") || !digits(text, 2, 23, &hour) ||
	    !skip(text, ":") || !digits(text, 2, 59, &minute))
		return false;
	*ret = sign * 60 * (60 * hour + minute);
	return true;
}

static bool parse_date_time(const char *text, struct policy_time *ret)
{
	int year, month, day, hour, minute, second, offset;
	uint32_t nanoseconds;
	int64_t date;

	if (!digits(&text, 4, 9999, &year) || !skip(&text, "-") ||
	    !digits(&text, 2, 12, &month) || !skip(&text, "-") ||
	    !digits(&text, 2, 31, &day) || !skip(&text, "Tt ") ||
	    !digits(&text, 2, 23, &hour) || !skip(&text, ":") ||
	    !digits(&text, 2, 59, &minute) || !skip(&text, ":") ||
	    !digits(&text, 2, 60, &second) || !fraction(&text, &nanoseconds) ||
	    !zone(&text, &offset) || *text ||
	    !policy_time_from_date(year, month, day, &date))
		return false;
	*ret = (struct policy_time){
		.seconds = date + INT64_C(60) * (60 * hour + minute) + second -
			   offset,
		.nanoseconds = nanoseconds,
	};
	return policy_time_is_valid(ret);
}

static bool parse_seconds(const char *text, struct policy_time *ret)
{
	struct policy_time time = { 0 };

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		if (time.seconds > LAST_SECOND)
			return false;
		time.seconds = 10 * time.seconds + (*text - '0');
	}
	if (!fraction(&text, &time.nanoseconds) || *text ||
	    !policy_time_is_valid(&time))
		return false;
	*ret = time;
	return true;
}

bool policy_time_parse(const char *text, struct policy_time *ret)
{
	return parse_seconds(text, ret) || parse_date_time(text, ret);
}
