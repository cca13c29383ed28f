/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.c - record the error that main() prints. */
#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longer messages are shortened; two paths alone can exceed this. */
#define LONGEST 2048
#define TAIL 512
#define DOTS "..."

/*
 * A recorded error fits into ERR_SIZE; before it is shortened it may be longer.
 */
static char text[2 * ERR_SIZE];
static bool alone;

/* Remove the middle of a long message. */
static void shorten(void)
{
	size_t n = strlen(text), head = LONGEST - TAIL - strlen(DOTS);

	if (n <= LONGEST)
		return;
	strcpy(text + head, DOTS);
	memmove(text + LONGEST - TAIL, text + n - TAIL, TAIL + 1);
}

/* Other C libraries than glibc describe these in other words. */
static const char *errno_words(int err)
{
	switch (err) {
	case EBUSY:
		return "device or resource busy";
	case EDEADLK:
		return "resource deadlock avoided";
	case EIO:
		return "input/output error";
	case ELOOP:
		return "too many levels of symbolic links";
	case EMFILE:
		return "too many open files";
	case ENAMETOOLONG:
		return "file name too long";
	case ENOMEM:
		return "cannot allocate memory";
	case ENOTTY:
		return "inappropriate ioctl for device";
	case EOPNOTSUPP:
		return "operation not supported";
	case EOVERFLOW:
		return "value too large for defined data type";
	case ERANGE:
		return "numerical result out of range";
	case ETIMEDOUT:
		return "connection timed out";
	case EXDEV:
		return "invalid cross-device link";
	default:
		return strerror(err);
	}
}

const char *errno_text(int err)
{
	static char lower[128];

	snprintf(lower, sizeof lower, "%s", errno_words(err));
	if (isupper((unsigned char)lower[0]) &&
	    !isupper((unsigned char)lower[1]))
		lower[0] = (char)tolower((unsigned char)lower[0]);
	return lower;
}

__attribute__((format(printf, 2, 0))) static int
record(int err, const char *fmt, va_list ap)
{
	size_t n;

	vsnprintf(text, sizeof text, fmt, ap);
	shorten();
	n = strlen(text);
	if (err > 0)
		snprintf(text + n, sizeof text - n, ": %s", errno_text(err));
	return err > 0 ? -err : -1;
}

int fail(int err, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = record(err, fmt, ap);
	va_end(ap);
	alone = false;
	return r;
}

int fail_alone(int err, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = record(err, fmt, ap);
	va_end(ap);
	alone = true;
	return r;
}

bool err_is_alone(void)
{
	return alone;
}

__attribute__((format(printf, 2, 0))) static void
put_in_front(const char *glue, const char *fmt, va_list ap)
{
	char inner[ERR_SIZE];
	size_t n;

	if (alone)
		return;
	memcpy(inner, text, sizeof inner);
	vsnprintf(text, sizeof text, fmt, ap);
	shorten();
	n = strlen(text);
	snprintf(text + n, sizeof text - n, "%s%s", glue, inner);
	shorten();
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
	alone = false;
}

void err_keep(struct err_kept *ret)
{
	memcpy(ret->text, text, sizeof ret->text);
	ret->alone = alone;
}

void err_restore(const struct err_kept *kept)
{
	memcpy(text, kept->text, sizeof kept->text);
	alone = kept->alone;
}
