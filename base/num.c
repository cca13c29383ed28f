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

int num_size(const char *text, int64_t *ret)
{
	static const char units[] = "kmgt";
	const char *unit;
	int shift = 0;
	uint64_t n;
	char *end;

	/* -1 means no limit, and takes no unit. */
	if (strcmp(text, "-1") == 0) {
		*ret = -1;
		return 0;
	}
	if (digits(text, &n, &end) < 0)
		return fail(0,
			    "'%s' is not a size in bytes (such as 512M, or -1 "
			    "for no limit)",
			    text);
	unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	if (unit && *unit) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	if (tolower((unsigned char)*end) == 'b')
		end++;
	if (*end || n > (uint64_t)INT64_MAX >> shift)
		return fail(0,
			    "'%s' is not a size in bytes (such as 512M, or -1 "
			    "for no limit)",
			    text);
	*ret = (int64_t)(n << shift);
	return 0;
}
