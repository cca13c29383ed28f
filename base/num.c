/* SPDX-License-Identifier: Apache-2.0 */
/* base/num.c - parse integers, with all checks. */
#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static int digits(const char *text, uint64_t *ret, char **ret_end)
{
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, ret_end, 10);
	return errno ? -errno : 0;
}

int num_u64(const char *text, uint64_t *ret)
{
	uint64_t n;
	char *end;

	if (digits(text, &n, &end) < 0 || *end)
		return fail(0,
			    "'%s' is not a number from 0 to "
			    "18446744073709551615",
			    text);
	*ret = n;
	return 0;
}

int num_u32(const char *text, uint32_t *ret)
{
	uint64_t n = 0;

	if (num_u64(text, &n) < 0 || n > UINT32_MAX)
		return fail(0, "'%s' is not a number from 0 to 4294967295",
			    text);
	*ret = (uint32_t)n;
	return 0;
}

int num_i64(const char *text, int64_t *ret)
{
	int negative = *text == '-';
	uint64_t n;
	char *end;

	if (digits(text + negative, &n, &end) < 0 || *end ||
	    n > (uint64_t)INT64_MAX + (uint64_t)negative)
		return fail(0, "'%s' is not a number (64 bits, decimal digits)",
			    text);
	*ret = negative ? (int64_t)(0 - n) : (int64_t)n;
	return 0;
}

int num_id(const char *text, uint32_t *ret)
{
	uint64_t n;
	char *end;

	if (digits(text, &n, &end) < 0 || *end || n > UINT32_MAX - 1)
		return fail(0,
			    "'%s' is not a user or group id (0 to 4294967294)",
			    text);
	*ret = (uint32_t)n;
	return 0;
}

/* Get 10, 20, ... for k, m, ...; 0 without a unit, -1 if it is another. */
static int shift_of(const char *unit)
{
	static const char units[] = "kmgt";
	const char *found =
		*unit ? strchr(units, tolower((unsigned char)*unit)) : NULL;

	unit += found != NULL;
	if (found && tolower((unsigned char)*unit) == 'i' &&
	    tolower((unsigned char)unit[1]) == 'b')
		unit++;
	unit += tolower((unsigned char)*unit) == 'b';
	if (*unit)
		return -1;
	return found ? 10 * (int)(found - units + 1) : 0;
}

static int not_a_size(const char *text)
{
	return fail(0,
		    "'%s' is not a size in bytes (such as 512M, 64MiB or "
		    "1.5G)",
		    text);
}

int num_bytes(const char *text, uint64_t *ret)
{
	uint64_t n, part = 0, unit = 1;
	char *end;
	int shift;

	if (digits(text, &n, &end) < 0)
		return not_a_size(text);
	if (*end == '.') {
		if (!isdigit((unsigned char)end[1]))
			return not_a_size(text);
		/* Six digits are enough for any limit. */
		for (end++; isdigit((unsigned char)*end); end++)
			if (unit < 1000000) {
				part = 10 * part + (uint64_t)(*end - '0');
				unit *= 10;
			}
	}
	shift = shift_of(end);
	if (shift < 0 || (unit > 1 && shift == 0) ||
	    n > (uint64_t)INT64_MAX >> shift)
		return not_a_size(text);
	n <<= shift;
	part = (part << shift) / unit;
	if (n > (uint64_t)INT64_MAX - part)
		return not_a_size(text);
	*ret = n + part;
	return 0;
}

int num_size(const char *text, int64_t *ret)
{
	uint64_t n;

	/* -1 means no limit, and takes no unit. */
	if (strcmp(text, "-1") == 0) {
		*ret = -1;
		return 0;
	}
	if (num_bytes(text, &n) < 0)
		return fail(0,
			    "'%s' is not a size in bytes (such as 512M, or -1 "
			    "for no limit)",
			    text);
	*ret = (int64_t)n;
	return 0;
}
