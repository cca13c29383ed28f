/* SPDX-License-Identifier: Apache-2.0 */
/* base/flag.c - parse values of boolean flags. */
#include "base/flag.h"

#include "base/err.h"
#include "base/util.h"

int flag_value(const char *name, const char *value, bool *ret)
{
	if (!value || streq(value, "true"))
		*ret = true;
	else if (streq(value, "false"))
		*ret = false;
	else
		return fail(0, "--%s: '%s' is not true or false", name, value);
	return 0;
}

int flag_check_next(const char *name, const char *next)
{
	if (!next || (!streq(next, "true") && !streq(next, "false")))
		return 0;
	return fail(0,
		    "--%s %s: write --%s=%s to set the option, or put -- "
		    "before '%s' if it is an argument",
		    name, next, name, next, next);
}
