/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.c - the one sentence that says what went wrong. */
#include "base/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char text[4096];

const char *errno_text(int err)
{
	static char lower[128];

	snprintf(lower, sizeof lower, "%s", strerror(err));
	if (isupper((unsigned char)lower[0]) &&
	    !isupper((unsigned char)lower[1]))
		lower[0] = (char)tolower((unsigned char)lower[0]);
	return lower;
}

int fail(int err, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (err > 0 && n >= 0 && (size_t)n < sizeof text)
		snprintf(text + n, sizeof text - (size_t)n, ": %s",
			 errno_text(err));
	return err > 0 ? -err : -1;
}

static void put_in_front(const char *glue, const char *fmt, va_list ap)
{
	char inner[sizeof text];
	int n;

	memcpy(inner, text, sizeof inner);
	n = vsnprintf(text, sizeof text, fmt, ap);
	if (n >= 0 && (size_t)n < sizeof text)
		snprintf(text + n, sizeof text - (size_t)n, "%s%s", glue,
			 inner);
}

int fail_in(int r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_in_front(": ", fmt, ap);
	va_end(ap);
	return r;
}

int fail_at(int r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_in_front("", fmt, ap);
	va_end(ap);
	return r;
}

const char *err_text(void)
{
	return text;
}

void err_clear(void)
{
	text[0] = '\0';
}
