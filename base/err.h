/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.h - one error per process: recorded where it happens, printed once by main(). */
#pragma once

#include <stdbool.h>

/* Record "<text>: <errno text>" (no errno text when err is 0); returns -err, or -1. */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * As fail, but nothing is ever put in front of the text: other programs compare
 * the whole line.
 */
int fail_alone(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool err_is_alone(void);
/* Put "<text>: " in front of the recorded error; returns r. */
int fail_in(int r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As fail_in, but glued: "<text><recorded>", for JSON paths such as "mounts" + "[3].type: …". */
int fail_at(int r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *err_text(void);
void err_clear(void);
/* The C library's text for an errno, in lower case as engines look for it. */
const char *errno_text(int err);

#define ERR_SIZE 4096

/* A recorded error, saved while the cleanup may record others. */
struct err_kept {
	char text[ERR_SIZE];
	bool alone;
};

void err_keep(struct err_kept *ret);
void err_restore(const struct err_kept *kept);
