/* SPDX-License-Identifier: Apache-2.0 */
/* base/date.c - convert seconds since 1970 to a date. */
#include "base/date.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#define MINUTE INT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
/* The calendar repeats after this many years and days. */
#define CYCLE_YEARS 400
#define CYCLE_DAYS 146097

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int month_days(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };

	return days[month] + (month == 1 && is_leap(year));
}

void date_text(int64_t seconds, char ret[DATE_SIZE])
{
	int64_t days = seconds / DAY, rest = seconds % DAY, year = 1970;
	int month = 0;

	if (rest < 0) {
		rest += DAY;
		days--;
	}
	year += days / CYCLE_DAYS * CYCLE_YEARS;
	days %= CYCLE_DAYS;
	if (days < 0) {
		days += CYCLE_DAYS;
		year -= CYCLE_YEARS;
	}
	for (; days >= 365 + is_leap(year); year++)
		days -= 365 + is_leap(year);
	for (; days >= month_days(year, month); month++)
		days -= month_days(year, month);
	snprintf(ret, DATE_SIZE, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", year,
		 month + 1, (int)days + 1, (int)(rest / HOUR),
		 (int)(rest / MINUTE % 60), (int)(rest % MINUTE));
}
