/* SPDX-License-Identifier: Apache-2.0 */
/* base/log.c - write errors, warnings and debug lines, as text or JSON. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/date.h"
#include "base/err.h"
#include "base/io.h"
#include "base/utf8.h"

#define LINE 8192
/* Part of it that is reserved for the end of the line. */
#define TAIL 64
/* Time for a reader to continue if a pipe is full. */
#define PATIENCE_MS 2000

/* Logging is global state of the process, like its recorded error. */
static struct {
	int fd;
	enum log_format format;
	bool warnings, debug;
	bool unread; /* nobody reads standard error */
	const char *program;
} out = { .fd = -1, .program = "sandlock-oci" };

int log_open(const struct log_options *options)
{
	out.format = options->format;
	out.debug = options->debug;
	out.warnings = options->warnings || options->debug;
	if (options->program)
		out.program = options->program;
	if (!options->file)
		return 0;
	/* Fail for a FIFO without a reader instead of waiting. */
	out.fd = open(options->file,
		      O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK |
			      O_CLOEXEC,
		      0644);
	if (out.fd < 0)
		return fail(errno, "open log file %s", options->file);
	return 0;
}

int log_fd(void)
{
	return out.fd;
}

bool log_is_fd(int fd)
{
	return fd >= 0 && fd == out.fd;
}

static size_t append(char *line, size_t at, const char *text)
{
	while (*text && at < LINE - 8)
		line[at++] = *text++;
	return at;
}

static size_t append_hex(char *line, size_t at, const char *prefix,
			 unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	at = append(line, at, prefix);
	line[at++] = hex[c >> 4];
	line[at++] = hex[c & 15];
	return at;
}

/* JSON must be UTF-8; a name on the command line need not be. */
static size_t append_quoted(char *line, size_t at, const char *text)
{
	size_t left = strlen(text);

	while (left && at < LINE - TAIL) {
		unsigned char c = (unsigned char)*text;
		size_t n = utf8_length(text, left);

		if (n == 0) {
			at = append(line, at, "\\ufffd");
			n = 1;
		} else if (c == '"' || c == '\\') {
			line[at++] = '\\';
			line[at++] = (char)c;
		} else if (c < 0x20) {
			at = append_hex(line, at, "\\u00", c);
		} else {
			memcpy(line + at, text, n);
			at += n;
		}
		text += n;
		left -= n;
	}
	return at;
}

static void timestamp(char ret[DATE_SIZE])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	date_text(now.tv_sec, ret);
	strcpy(ret + strlen(ret), "Z");
}

/* Return false if nobody reads: later lines need not wait again. */
static bool put(int fd, const char *line, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int r;

	do
		r = poll(&p, 1, PATIENCE_MS);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return false;
	(void)io_write_all(fd, line, n);
	return true;
}

/* Format one line of a log file. */
static size_t make_line(char line[LINE], bool json, const char *level,
			const char *text)
{
	char when[DATE_SIZE];
	size_t n = 0;

	timestamp(when);
	n = append(line, n, json ? "{\"level\":\"" : "time=\"");
	n = append(line, n, json ? level : when);
	n = append(line, n, json ? "\",\"msg\":\"" : "\" level=");
	n = json ? append_quoted(line, n, text) : append(line, n, level);
	n = append(line, n, json ? "\",\"time\":\"" : " msg=\"");
	n = json ? append(line, n, when) : append_quoted(line, n, text);
	return append(line, n, json ? "\"}\n" : "\"\n");
}

static void to_file(const char *level, const char *text)
{
	char line[LINE];
	size_t n;

	if (out.fd < 0)
		return;
	n = make_line(line, out.format == LOG_JSON, level, text);
	if (!put(out.fd, line, n)) {
		close(out.fd);
		out.fd = -1;
	}
}

/* Some terminals interpret U+0080 to U+009F like ESC. */
static bool is_control(const char *text, size_t n)
{
	unsigned char c = (unsigned char)text[0];

	return c < 0x20 || c == 0x7f ||
	       (n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0);
}

/* Escape line ends and everything that a terminal would interpret. */
static size_t append_printable(char *line, size_t at, const char *text)
{
	size_t left = strlen(text);

	while (left && at < LINE - TAIL) {
		size_t n = utf8_length(text, left);

		if (*text == '\n') {
			at = append(line, at, "\\n");
		} else if (n == 0 || is_control(text, n)) {
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				at = append_hex(line, at, "\\x",
						(unsigned char)text[i]);
		} else {
			memcpy(line + at, text, n);
			at += n;
		}
		text += n;
		left -= n;
	}
	return at;
}

static void line_to_stderr(const char *program, const char *level,
			   const char *text)
{
	char line[LINE];
	size_t n = append(line, 0, program);

	if (out.unread)
		return;
	n = append(line, n, *program ? ": " : "");
	n = append(line, n, level);
	n = append_printable(line, n, text);
	line[n++] = '\n';
	out.unread = !put(STDERR_FILENO, line, n);
}

static void to_stderr(const char *level, const char *text)
{
	line_to_stderr(out.program, level, text);
}

void log_error(const char *text)
{
	to_file("error", text);
	to_stderr("", text);
}

void log_error_alone(const char *text)
{
	to_file("error", text);
	line_to_stderr("", "", text);
}

bool log_debugging(void)
{
	return out.debug;
}

__attribute__((format(printf, 1, 0))) static void tell_warning(const char *fmt,
							       va_list ap)
{
	char text[LINE / 2];

	vsnprintf(text, sizeof text, fmt, ap);
	to_file("warning", text);
	to_stderr("warning: ", text);
}

void log_notice(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell_warning(fmt, ap);
	va_end(ap);
}

void log_record(const char *text)
{
	to_file("warning", text);
}

void log_hint(const char *fmt, ...)
{
	char text[LINE / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	to_file("info", text);
	to_stderr("", text);
}

void log_warning(const char *fmt, ...)
{
	va_list ap;

	if (!out.warnings)
		return;
	va_start(ap, fmt);
	tell_warning(fmt, ap);
	va_end(ap);
}

/* stderr gets the format of the file: scripts search for level=debug. */
void log_debug(const char *fmt, ...)
{
	char text[LINE / 2], printable[LINE], line[LINE];
	va_list ap;

	if (!out.debug)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	to_file("debug", text);
	if (out.unread)
		return;
	printable[append_printable(printable, 0, text)] = '\0';
	out.unread = !put(STDERR_FILENO, line,
			  make_line(line, false, "debug", printable));
}
