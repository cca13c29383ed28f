/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/descriptors.c - close the descriptors of the caller and of
 * the creation.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/supervisor/supervisor.h"

int supervisor_keep(struct supervisor *s, int fd)
{
	if (s->nkept == SUPERVISOR_KEPT)
		return fail(ENOSPC,
			    "keep more than %d descriptors for the supervisor",
			    SUPERVISOR_KEPT);
	s->kept[s->nkept++] = fd;
	return 0;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

void supervisor_close_but(int *fds, size_t n)
{
	unsigned int next = 0;

	qsort(fds, n, sizeof *fds, compare);
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0 || (unsigned int)fds[i] < next)
			continue;
		if ((unsigned int)fds[i] > next)
			(void)sys_close_range(next, (unsigned int)fds[i] - 1,
					      0);
		next = (unsigned int)fds[i] + 1;
	}
	(void)sys_close_range(next, UINT_MAX, 0);
}

void supervisor_close_others(const struct supervisor *s)
{
	const int own[] = { 0,	      1,
			    2,	      s->ready,
			    s->dir,   s->init,
			    s->guard, s->guard_pidfd,
			    log_fd(), s->caller_stderr };
	int all[COUNT(own) + SUPERVISOR_KEPT + LOOP_SOURCES];
	size_t n = 0;

	for (size_t i = 0; i < COUNT(own); i++)
		all[n++] = own[i];
	for (size_t i = 0; i < s->nkept; i++)
		all[n++] = s->kept[i];
	for (size_t i = 0; i < s->loop->nsources; i++)
		if (s->loop->sources[i].ready)
			all[n++] = s->loop->sources[i].fd;
	supervisor_close_but(all, n);
}
