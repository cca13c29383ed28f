/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/no_namespaces.c - enforce a policy without namespaces, as far
 * as possible.
 */
#include "runtime/enforce/no_namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/util.h"

#define ROUNDS 1000

const char *const no_namespaces_calls[] = {
	"chmod",	"fchmod",    "fchmodat",     "fchmodat2",
	"chown",	"fchown",    "lchown",	     "fchownat",
	"setxattr",	"lsetxattr", "fsetxattr",    "setxattrat",
	"removexattr",	"utime",     "lremovexattr", "fremovexattr",
	"utimes",	"futimesat", "utimensat",    "removexattrat",
	"file_setattr", "mq_open",   "mq_unlink",    NULL,
};

int no_namespaces_denied_calls(struct arena *arena, struct strings *calls)
{
	const size_t more = COUNT(no_namespaces_calls) - 1;
	const char **items = arena_grow(arena, calls->items, calls->n,
					calls->n + more + 1, sizeof *items);

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < more; i++)
		items[calls->n + i] = no_namespaces_calls[i];
	*calls = (struct strings){ items, calls->n + more };
	return 0;
}

/*
 * Kill the children that one read lists; ignore a pid that is cut off at the
 * end.
 */
static bool end_some(int proc)
{
	char name[64], text[4096], *next = text;
	autoclose int fd = -1;
	bool any = false;
	ssize_t n;

	snprintf(name, sizeof name, "self/task/%d/children", getpid());
	fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (char *end; *next; next = end) {
		long pid = strtol(next, &end, 10);

		if (end == next || *end != ' ')
			break;
		any = true;
		(void)kill((pid_t)pid, SIGKILL);
		(void)waitpid((pid_t)pid, NULL, __WALL);
	}
	return any;
}

/* Children of a process that exits become ours, as we are their subreaper. */
void no_namespaces_end_children(int proc)
{
	for (int i = 0; i < ROUNDS && end_some(proc); i++)
		;
}
