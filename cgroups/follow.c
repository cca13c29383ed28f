/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/follow.c - find the cgroup of a container's first process, for `exec`
 * when the container's own cgroup accepts no processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/internal.h"

struct search {
	struct pid_list list;
	pid_t pid;
	int found;
};

static int look(int dir, void *context)
{
	struct search *search = context;
	int r;

	if (search->found >= 0)
		return 0;
	search->list.n = 0;
	r = pid_list_read(&search->list, dir);
	if (r < 0)
		return r;
	for (size_t i = 0; i < search->list.n; i++)
		if (search->list.items[i] == search->pid) {
			search->found = fcntl(dir, F_DUPFD_CLOEXEC, 0);
			return search->found < 0 ?
				       fail(errno,
					    "duplicate the descriptor of the "
					    "cgroup of process %d",
					    search->pid) :
				       0;
		}
	return 0;
}

/*
 * A cgroup that enables controllers for its children has no processes, unless
 * it is the root of a threaded tree.
 */
static bool takes_no_process(const char *path)
{
	char passed[256], type[32];

	return file_read(path, "cgroup.subtree_control", passed,
			 sizeof passed) > 0 &&
	       file_read(path, "cgroup.type", type, sizeof type) > 0 &&
	       streq(type, "domain");
}

int cgroup_follow(struct arena *arena, struct cgroup *cgroup, pid_t pid)
{
	const struct tree_visit visit = { .enter = look };
	struct search search = { { .arena = arena }, pid, -1 };
	struct cgroup_member *member = member_v2(cgroup);
	int r;

	if (!member || !takes_no_process(member->path))
		return 0;
	r = tree_walk(AT_FDCWD, member->path, &visit, &search);
	/* The process may have exited or moved; joining reports that. */
	if (r < 0 || search.found < 0)
		return r;
	closep(&member->join);
	closep(&member->dir);
	member->dir = search.found;
	member->join =
		openat(member->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (member->join < 0)
		return fail(errno,
			    "open cgroup.procs of the cgroup of process %d, "
			    "below %s",
			    pid, member->path);
	return 0;
}

int cgroup_sub(struct arena *arena, const struct cgroup *cgroup,
	       const char **ret)
{
	const struct cgroup_member *member = member_v2(cgroup);
	char link[64], path[CGROUP_PATH_SIZE] = "";
	size_t len;

	*ret = "/";
	if (!member || member->dir < 0)
		return 0;
	len = strlen(member->path);
	snprintf(link, sizeof link, "/proc/self/fd/%d", member->dir);
	if (readlink(link, path, sizeof path - 1) < 0)
		return fail(errno,
			    "find the real path of the container's cgroup %s",
			    member->path);
	if (strncmp(path, member->path, len) == 0 && path[len] == '/')
		*ret = arena_strdup(arena, path + len);
	return *ret ? 0 : -ENOMEM;
}
