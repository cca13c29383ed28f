/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/err.h - one error for each process, recorded where it occurs and printed
 * by main().
 */
#pragma once

#include <stdbool.h>

/*
 * Record "<text>: <errno text>" (without errno text if err is 0); return -err,
 * or -1.
 */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Like fail, but no prefix is ever added: other programs compare the whole
 * line.
 */
int fail_alone(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool err_is_alone(void);
/* Prefix the recorded error with "<text>: "; return r. */
int fail_in(int r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Like fail_in without ": ", for JSON paths such as "mounts" + "[3].type: …".
 */
int fail_at(int r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *err_text(void);
void err_clear(void);
/*
 * Return the C library's text for an errno, in lower case as engines expect it.
 */
const char *errno_text(int err);

#define ERR_SIZE 4096

/* A recorded error, saved while cleanup may record others. */
struct err_kept {
	char text[ERR_SIZE];
	bool alone;
};

void err_keep(struct err_kept *ret);
void err_restore(const struct err_kept *kept);
