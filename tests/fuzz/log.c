/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/log.c - any error text: one line for people, without what a
 * terminal would obey, and one JSON document for engines.
 */
#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "oci/json.h"
#include "tests/fuzz/fuzz.h"

#define MAX_LINE 16384

struct lines {
	char people[MAX_LINE], engines[MAX_LINE];
};

static int new_file(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	demand(fd >= 0);
	return fd;
}

/* All of it, and the file is empty again. */
static void drain(int fd, char *ret)
{
	ssize_t n = pread(fd, ret, MAX_LINE - 1, 0);

	demand(n >= 0 && n < MAX_LINE - 1);
	ret[n] = '\0';
	demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
}

static void say(const char *text, struct lines *ret)
{
	static int people = -1, engines, real;

	if (people < 0) {
		char path[64];

		people = new_file();
		engines = new_file();
		real = dup(STDERR_FILENO);
		snprintf(path, sizeof path, "/proc/self/fd/%d", engines);
		demand(log_open(&(struct log_options){
			       .file = path, .format = LOG_JSON }) == 0);
	}
	demand(dup2(people, STDERR_FILENO) >= 0);
	log_error(text);
	demand(dup2(real, STDERR_FILENO) >= 0);
	drain(people, ret->people);
	drain(engines, ret->engines);
}

static void demand_one_line(const char *line)
{
	size_t len = strlen(line);

	demand(starts_with(line, "sandlock-oci: "));
	demand(len > 0 && line[len - 1] == '\n');
	demand(fuzz_is_utf8(line));
	for (size_t i = 0; i + 1 < len; i++) {
		unsigned char c = (unsigned char)line[i];

		demand(c >= ' ' && c != 0x7f);
		/* U+0080 to U+009F */
		demand(c != 0xc2 || (unsigned char)line[i + 1] >= 0xa0);
	}
}

static void demand_document(struct arena *arena, const char *line,
			    const char *text)
{
	const struct json_value *v, *msg;
	size_t len = strlen(line);

	demand(len > 0 && strchr(line, '\n') == line + len - 1);
	demand(json_parse(arena, line, len, &v) == 0);
	msg = json_find(v, "msg");
	demand(msg && streq(json_find(v, "level")->text, "error"));
	if (fuzz_is_utf8(text) && strlen(text) < 1000)
		demand(streq(msg->text, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lines lines;
	struct arena arena;
	const char *text;

	demand(arena_open(&arena, 1 << 20) == 0);
	text = fuzz_text(&arena, (const char *)data, size);
	say(text ? text : "", &lines);
	demand_one_line(lines.people);
	demand_document(&arena, lines.engines, text ? text : "");
	arena_close(&arena);
	return 0;
}
