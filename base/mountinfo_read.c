/* SPDX-License-Identifier: Apache-2.0 */
/* base/mountinfo_read.c - read all mounts of a process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/mountinfo.h"
#include "base/proc.h"

#define MOUNTINFO_MAX (64UL << 20)

int mountinfo_split(struct arena *arena, char *text, struct mountinfo *ret)
{
	struct mountinfo mounts = { 0 };
	size_t lines = 1;
	char *line;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	mounts.items = arena_array(arena, lines, sizeof *mounts.items);
	if (!mounts.items)
		return -ENOMEM;
	while ((line = strsep(&text, "\n")))
		if (mountinfo_parse(line, &mounts.items[mounts.n]))
			mounts.n++;
	*ret = mounts;
	return 0;
}

int mountinfo_read(struct arena *arena, int proc, const char *process,
		   struct mountinfo *ret)
{
	char name[64], *text;
	int r;

	snprintf(name, sizeof name, "%s/mountinfo", process);

	autoclose int fd = proc_open_at(proc, name, O_RDONLY);

	if (fd < 0)
		return fail(errno, "open the list of mounts /proc/%s", name);
	r = io_read_all(arena, fd, MOUNTINFO_MAX, &text, NULL);
	if (r < 0)
		return fail_in(r, "list of mounts /proc/%s", name);
	return mountinfo_split(arena, text, ret);
}
