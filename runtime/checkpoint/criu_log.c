/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/criu_log.c - find the reason for a failure in criu's log.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/util.h"
#include "runtime/checkpoint/criu.h"

#define TAIL 262144
/* The last error says what failed, those before it why. */
#define LINES 3

/*
 * Return the text of "(00.12) Error (criu/mount.c:99): text"; NULL for other
 * lines.
 */
static char *error_in(char *line)
{
	char *error = strstr(line, "Error (");
	char *text = error ? strstr(error, "): ") : NULL;
	size_t len;

	if (!text)
		return NULL;
	text += strlen("): ");
	len = strlen(text);
	/* The log of every failure ends with this line. */
	if (len > 7 && streq(text + len - 7, "FAILED."))
		return NULL;
	return text;
}

static char *read_tail(struct arena *arena, int fd)
{
	char *text = arena_alloc(arena, TAIL + 1);
	struct stat st;
	ssize_t n;

	if (!text || fstat(fd, &st) < 0)
		return NULL;
	n = pread(fd, text, TAIL, st.st_size > TAIL ? st.st_size - TAIL : 0);
	return n < 0 ? NULL : text;
}

const char *criu_log_errors(struct arena *arena, int dir, const char *name)
{
	autoclose int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *rest = fd < 0 ? NULL : read_tail(arena, fd);
	const char *last[LINES] = { "", "", "" };
	char *line, *all;
	size_t n = 0;

	while (rest && (line = strsep(&rest, "\n"))) {
		const char *error = error_in(line);

		if (error)
			last[n++ % LINES] = error;
	}
	all = arena_strdup(arena, "");
	for (size_t i = n > LINES ? n - LINES : 0; all && i < n; i++)
		all = arena_printf(arena, "%s%s%s", all, *all ? "; " : "",
				   last[i % LINES]);
	return all ? all : "";
}
