/* SPDX-License-Identifier: Apache-2.0 */
/* base/log.h - where errors, warnings and debug lines go: --log, --log-format, --debug. */
#pragma once

#include <stdbool.h>

enum log_format { LOG_TEXT, LOG_JSON };

struct log_options {
	const char *file; /* appended to; NULL: stderr only */
	enum log_format format;
	bool debug;
	bool warnings;	     /* shown without debug, too */
	const char *program; /* before each line; NULL: sandlock-oci */
};

/* Open the log file; the options are kept for the life of the process. */
int log_open(const struct log_options *options);
/* Whether a descriptor belongs to the log file, not to the caller. */
bool log_is_fd(int fd);
/* The final error: to stderr as text, to the log file in its format. */
void log_error(const char *text);
/* The same, but on stderr without the program's name in front. */
void log_error_alone(const char *text);
/* Whether the two below are shown: for what is dear to put together. */
bool log_debugging(void);
/* A warning shown at every level: a request was not fully carried out. */
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Shown only when asked for: engines parse stderr and the log file. */
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
