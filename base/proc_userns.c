/* SPDX-License-Identifier: Apache-2.0 */
/* base/proc_userns.c - tell the initial user namespace from others. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"

#define WHOLE_RANGE 4294967295U

/* The initial user namespace maps all ids to themselves. */
static int look(int proc, bool *ret)
{
	autoclose int fd = proc_open_at(proc, "self/uid_map", O_RDONLY);
	unsigned int inside, outside, size;
	char line[128] = "";

	*ret = false;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || read(fd, line, sizeof line - 1) < 0)
		return fail(errno, "read this user namespace's mapping from "
				   "/proc/self/uid_map");
	*ret = sscanf(line, "%u %u %u", &inside, &outside, &size) != 3 ||
	       inside != 0 || outside != 0 || size != WHOLE_RANGE;
	return 0;
}

static int open_and_look(int proc, bool *ret)
{
	autoclose int own = proc < 0 ? proc_open() : -1;

	if (proc < 0 && own < 0)
		return own;
	return look(proc < 0 ? own : proc, ret);
}

int proc_in_userns(int proc, bool *ret)
{
	static bool known, answer;

	if (!known) {
		int r = open_and_look(proc, &answer);

		if (r < 0)
			return r;
		known = true;
	}
	*ret = answer;
	return 0;
}
