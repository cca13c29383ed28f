/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/oom.c - watch for out-of-memory events of a container.
 *
 * v1 signals an eventfd when the limit is reached and nothing can be reclaimed;
 * v2 changes memory.events, which inotify reports.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "cgroups/internal.h"

static uint64_t kills(const struct cgroup_oom *oom)
{
	char text[1024];
	const char *at;

	if (file_read(oom->path, "memory.events", text, sizeof text) < 0)
		return oom->seen;
	at = strstr(text, "\noom_kill ");
	return at ? strtoull(at + strlen("\noom_kill "), NULL, 10) : 0;
}

static int watch_v1(struct cgroup_oom *oom)
{
	char path[CGROUP_PATH_SIZE], text[64];

	oom->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (oom->fd < 0)
		return fail(
			errno,
			"create an eventfd to watch for out-of-memory events");
	snprintf(path, sizeof path, "%s/memory.oom_control", oom->path);

	autoclose int control = open(path, O_RDONLY | O_CLOEXEC);

	if (control < 0)
		return fail(errno, "open %s to watch for out-of-memory events",
			    path);
	snprintf(text, sizeof text, "%d %d", oom->fd, control);
	return file_write(oom->path, "cgroup.event_control", text);
}

static int watch_v2(struct cgroup_oom *oom)
{
	char path[CGROUP_PATH_SIZE];

	oom->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (oom->fd < 0)
		return fail(errno, "create an inotify descriptor to watch for "
				   "out-of-memory events (see "
				   "fs.inotify.max_user_instances)");
	snprintf(path, sizeof path, "%s/memory.events", oom->path);
	if (inotify_add_watch(oom->fd, path, IN_MODIFY) < 0)
		return fail(errno, "watch %s for out-of-memory events", path);
	oom->seen = kills(oom);
	return 0;
}

int cgroup_oom_open(const struct cgroup *cgroup, struct cgroup_oom *ret)
{
	const struct cgroup_member *v1 = member_with(cgroup, "memory", 6);
	const struct cgroup_member *v2 = member_v2(cgroup);
	AUTO(cgroup_oom_close) struct cgroup_oom oom = CGROUP_OOM_NONE;
	int r;

	if (!v1 && !v2)
		return fail(EOPNOTSUPP,
			    "the container has no memory cgroup, so its "
			    "out-of-memory events cannot be watched");
	oom.path = v1 ? v1->path : v2->path;
	oom.v2 = !v1;
	r = oom.v2 ? watch_v2(&oom) : watch_v1(&oom);
	if (r < 0)
		return r;
	*ret = oom;
	oom.fd = -1;
	return 0;
}

void cgroup_oom_close(struct cgroup_oom *oom)
{
	closep(&oom->fd);
}

uint64_t cgroup_oom_new(struct cgroup_oom *oom)
{
	char events[4096];
	uint64_t n = 0;

	if (!oom->v2) {
		/* Removing the cgroup signals the eventfd, too. */
		if (read(oom->fd, &n, sizeof n) != sizeof n ||
		    access(oom->path, F_OK) < 0)
			return 0;
		return n;
	}
	while (read(oom->fd, events, sizeof events) > 0)
		;
	n = kills(oom) - oom->seen;
	oom->seen += n;
	return n;
}
