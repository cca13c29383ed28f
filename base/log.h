/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/log.h - log errors, warnings and debug lines: --log, --log-format,
 * --debug.
 */
#pragma once

#include <stdbool.h>

enum log_format { LOG_TEXT, LOG_JSON };

struct log_options {
	const char *file; /* appended to; NULL: stderr only */
	enum log_format format;
	bool debug;
	bool warnings;	     /* show warnings without debug, too */
	const char *program; /* before each line; NULL: sandlock-oci */
};

/* Open the log file; the options are kept for the life of the process. */
int log_open(const struct log_options *options);
/* True if the descriptor is that of the log file. */
bool log_is_fd(int fd);
/* Return the descriptor of the log file; -1: none. */
int log_fd(void);
/* Log the final error: to stderr as text, to the log file in its format. */
void log_error(const char *text);
/* Like log_error, but on stderr without the program's name. */
void log_error_alone(const char *text);
/* True if debug lines are shown; for lines that are costly to make. */
bool log_debugging(void);
/* Log a warning at every level: a request was not fully carried out. */
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Log what the caller may want to change, without the word "warning". */
void log_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Log a line that one reads later: to the log file alone, as a warning. */
void log_record(const char *text);
/* Log only if requested, because engines parse stderr and the log file. */
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
