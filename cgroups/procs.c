/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/procs.c - find and signal every process of a container. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define KILL_TIMEOUT_MS 10000
/* Number of pidfds open at a time. */
#define BATCH 64

static int push(struct pid_list *list, pid_t pid)
{
	pid_t *items = arena_room(list->arena, list->items, list->n,
				  &list->size, sizeof *items);

	if (!items)
		return -ENOMEM;
	list->items = items;
	list->items[list->n++] = pid;
	return 0;
}

/* The file has a pid on each line; 0 is a process outside our pid namespace. */
static int read_pids(int dir, void *context)
{
	autoclose int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	struct pid_list *list = context;
	char text[1024], path[CGROUP_PATH_SIZE];
	pid_t pid = 0;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT || errno == ENODEV ?
			       0 :
			       fail(errno, "open cgroup.procs of %s",
				    tree_path(dir, path));
	while ((n = read(fd, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] != '\n') {
				pid = pid * 10 + (text[i] - '0');
				continue;
			}
			if (pid > 0 && push(list, pid) < 0)
				return -ENOMEM;
			pid = 0;
		}
	/* The cgroup above a threaded one lists its processes. */
	if (n < 0 && errno != EOPNOTSUPP && errno != ENODEV)
		return fail(errno, "read cgroup.procs of %s",
			    tree_path(dir, path));
	return 0;
}

int pid_list_read(struct pid_list *list, int dir)
{
	return read_pids(dir, list);
}

int pid_list_add(struct pid_list *list, const char *path)
{
	const struct tree_visit visit = { .enter = read_pids };

	return tree_walk(AT_FDCWD, path, &visit, list);
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

bool pid_list_has(const struct pid_list *list, pid_t pid)
{
	return list->n > 0 &&
	       bsearch(&pid, list->items, list->n, sizeof pid, by_number);
}

/*
 * Read all hierarchies: a process that is joining is only in some of them, and
 * one with write access may have left others. Processes in a directory that is
 * not ours do not belong to the container.
 */
static int fill(struct pid_list *list, const struct cgroup *cgroup)
{
	size_t n = 0;

	list->n = 0;
	for (size_t i = 0; i < cgroup->n; i++) {
		const struct cgroup_member *member = &cgroup->items[i];
		int r = member->made ? pid_list_add(list, member->path) : 0;

		if (r < 0)
			return r;
	}
	if (list->n == 0)
		return 0;
	qsort(list->items, list->n, sizeof *list->items, by_number);
	for (size_t i = 0; i < list->n; i++)
		if (i == 0 || list->items[i] != list->items[n - 1])
			list->items[n++] = list->items[i];
	list->n = n;
	return 0;
}

int cgroup_pids(struct arena *arena, const struct cgroup *cgroup,
		pid_t **ret_pids, size_t *ret_n)
{
	struct pid_list list = { .arena = arena };
	int r = fill(&list, cgroup);

	if (r < 0)
		return r;
	*ret_pids = list.items;
	*ret_n = list.n;
	return 0;
}

static bool may_signal(pid_t pid)
{
	return pid > 1 && pid != getpid();
}

/*
 * A pid may have been reused since the list was read. Open pidfds first and
 * read the list again: a pid that is still listed is a member.
 */
static int signal_batch(const struct cgroup *cgroup, const pid_t *pids,
			size_t n, struct pid_list *now, int sig)
{
	int fds[BATCH], result = 0, r;

	for (size_t i = 0; i < n; i++)
		fds[i] = may_signal(pids[i]) ? sys_pidfd_open(pids[i]) : -1;
	r = fill(now, cgroup);
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		if (r >= 0 && pid_list_has(now, pids[i]) &&
		    sys_pidfd_send_signal(fds[i], sig) < 0 && errno != ESRCH)
			result = fail(errno,
				      "send a signal to process %d of the "
				      "container's cgroup",
				      pids[i]);
		close(fds[i]);
	}
	return r < 0 ? r : result;
}

static int signal_list(const struct cgroup *cgroup, const struct pid_list *list,
		       struct pid_list *now, int sig)
{
	int result = 0;

	for (size_t at = 0; at < list->n; at += BATCH) {
		size_t n = list->n - at < BATCH ? list->n - at : BATCH;
		int r = signal_batch(cgroup, list->items + at, n, now, sig);

		if (r < 0)
			result = r;
	}
	return result;
}

static void freeze(const struct cgroup *cgroup)
{
	for (size_t i = 0; i < cgroup->n; i++) {
		const struct cgroup_member *member = &cgroup->items[i];

		if (member->made)
			(void)backend_of(member)->freeze(member, true);
	}
	err_clear();
}

static size_t count_others(const struct pid_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += may_signal(list->items[i]);
	return n;
}

/* Kill once. In a frozen cgroup a process cannot fork to escape. */
static int kill_round(const struct cgroup *cgroup, struct pid_list *list,
		      struct pid_list *now, bool by_kernel)
{
	const struct cgroup_member *v2 = member_v2(cgroup);
	int r = 0;

	if (by_kernel && v2 && v2->made && !pid_list_has(list, getpid()) &&
	    file_write(v2->path, "cgroup.kill", "1") >= 0) {
		tree_thaw(cgroup);
		return 0;
	}
	freeze(cgroup);
	r = fill(list, cgroup);
	if (r >= 0)
		r = signal_list(cgroup, list, now, SIGKILL);
	tree_thaw(cgroup);
	return r;
}

static int kill_all(struct arena *arena, const struct cgroup *cgroup)
{
	struct pid_list list = { .arena = arena }, now = { .arena = arena };
	int64_t deadline = now_ms() + KILL_TIMEOUT_MS;
	unsigned int attempt = 0;
	int r, killed;

	do {
		r = fill(&list, cgroup);
		if (r < 0)
			return r;
		if (count_others(&list) == 0)
			return 0;
		/*
		 * Later rounds kill processes that are only in v1 hierarchies.
		 */
		killed = kill_round(cgroup, &list, &now, attempt < 3);
		if (killed == -EPERM)
			return killed;
	} while (wait_a_little(attempt++, deadline));
	if (killed < 0)
		return killed;
	return fail(0,
		    "%zu process(es) of cgroup %s were killed but have not "
		    "ended: check whether a parent cgroup is frozen",
		    count_others(&list), cgroup->items[0].path);
}

int cgroup_signal(struct arena *arena, const struct cgroup *cgroup, int sig)
{
	struct pid_list list = { .arena = arena }, now = { .arena = arena };
	int r;

	if (sig == SIGKILL)
		return kill_all(arena, cgroup);
	r = fill(&list, cgroup);
	if (r < 0)
		return r;
	return signal_list(cgroup, &list, &now, sig);
}
