/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.h - one error per process: recorded where it happens, printed once by main(). */
#pragma once

/* Record "<text>: <errno text>" (no errno text when err is 0); returns -err, or -1. */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Put "<text>: " in front of the recorded error; returns r. */
int fail_in(int r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As fail_in, but glued: "<text><recorded>", for JSON paths such as "mounts" + "[3].type: …". */
int fail_at(int r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *err_text(void);
void err_clear(void);
/* The C library's text for an errno, in lower case as engines look for it. */
const char *errno_text(int err);
