/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/tree.c - walk, thaw and remove a cgroup and its sub-cgroups. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define REPORT_MEMORY (16UL << 20)
#define REPORT_SIZE 256
#define LONGEST_NAP_MS 16
#define MANY_FILES 128

const char *tree_path(int dir, char ret[static CGROUP_PATH_SIZE])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
	n = readlink(link, ret, CGROUP_PATH_SIZE - 1);
	ret[n < 0 ? 0 : n] = '\0';
	return n < 0 ? "the container's cgroup" : ret;
}

static int walk_children(int fd, const struct tree_visit *visit, void *context)
{
	autoclosedir DIR *dir = fdopendir(fd);
	char path[CGROUP_PATH_SIZE];

	if (!dir)
		return fail(errno, "list the cgroups inside %s",
			    tree_path(fd, path));
	for (struct dirent *e; (e = readdir(dir));) {
		int r;

		if (e->d_type != DT_DIR || streq(e->d_name, ".") ||
		    streq(e->d_name, ".."))
			continue;
		r = tree_walk(dirfd(dir), e->d_name, visit, context);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * The walk uses one descriptor for each level, and a process that may make
 * cgroups inside can nest them deeper than the usual limit on descriptors.
 */
static void allow_more_files(int fd)
{
	struct rlimit limit;

	if (fd < MANY_FILES || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int tree_walk(int parent, const char *name, const struct tree_visit *visit,
	      void *context)
{
	autoclose int fd =
		openat(parent, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ENODEV ?
			       0 :
			       fail(errno, "open cgroup %s", name);
	allow_more_files(fd);
	if (fstat(fd, &st) < 0)
		return fail(errno, "inspect cgroup %s", name);
	if (visit->enter)
		r = visit->enter(fd, context);
	/* The link count of a cgroup shows whether it has sub-cgroups. */
	if (r >= 0 && st.st_nlink > 2)
		r = walk_children(take_fd(&fd), visit, context);
	if (r >= 0 && visit->leave)
		r = visit->leave(parent, name, context);
	return r;
}

static int thaw(int dir, void *context)
{
	(void)context;
	(void)io_write_at(dir, "freezer.state", "THAWED");
	return 0;
}

void tree_thaw(const struct cgroup *cgroup)
{
	const struct tree_visit visit = { .enter = thaw };
	const struct cgroup_member *v1 = member_with(cgroup, "freezer", 7);
	const struct cgroup_member *v2 = member_v2(cgroup);

	if (v1 && v1->made)
		(void)tree_walk(AT_FDCWD, v1->path, &visit, NULL);
	/* v2 can kill frozen processes, so sub-cgroups may stay frozen. */
	if (v2 && v2->made)
		(void)backend_of(v2)->freeze(v2, false);
	err_clear();
}

bool wait_a_little(unsigned int attempt, int64_t deadline)
{
	long ms = attempt < 4 ? 1L << attempt : LONGEST_NAP_MS;
	struct timespec nap = { .tv_nsec = ms * 1000000 };

	if (now_ms() >= deadline)
		return false;
	(void)nanosleep(&nap, NULL);
	return true;
}

/*
 * A parent made for one container may be used by others, and the last one
 * removes it. Without extended attributes only its maker can do that.
 */
static const char made_mark[] = "user.sandlock-oci";

void mark_made(const char *path)
{
	(void)setxattr(path, made_mark, "parent", strlen("parent"), 0);
}

static bool is_marked(const char *path)
{
	return getxattr(path, made_mark, NULL, 0) >= 0;
}

/* The leaf is gone; also remove the parents that were made for it. */
static void remove_parents(const char *leaf, size_t kept)
{
	char path[CGROUP_PATH_SIZE];

	memcpy(path, leaf, strlen(leaf) + 1);
	for (;;) {
		*strrchr(path, '/') = '\0';
		if (strlen(path) <= kept && !is_marked(path))
			return;
		(void)rmdir(path);
	}
}

void remove_made(const char *leaf, size_t kept)
{
	if (strlen(leaf) <= kept && !is_marked(leaf))
		return;
	(void)rmdir(leaf);
	remove_parents(leaf, kept);
}

static int remove_dir(int parent, const char *name, void *context)
{
	(void)context;
	if (unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return fail(errno, "remove cgroup %s", name);
	return 0;
}

/* Report the processes that still use it. */
static int still_used(const char *path)
{
	AUTO(arena_close) struct arena arena = { 0 };
	struct pid_list list = { .arena = &arena };
	char pids[REPORT_SIZE] = "";
	size_t len = 0;

	if (arena_open(&arena, REPORT_MEMORY) < 0 ||
	    pid_list_add(&list, path) < 0 || list.n == 0)
		return fail(EBUSY, "remove cgroup %s", path);
	for (size_t i = 0; i < list.n && len + 16 < sizeof pids; i++)
		len += (size_t)sprintf(pids + len, "%s%d", i ? ", " : "",
				       list.items[i]);
	return fail(EBUSY,
		    "remove cgroup %s: still used by %zu process(es) "
		    "(%s)",
		    path, list.n, pids);
}

static int remove_member(const struct cgroup *cgroup,
			 const struct cgroup_member *member, int64_t deadline)
{
	const struct tree_visit visit = { .leave = remove_dir };
	unsigned int attempt = 0;
	int r;

	if (rmdir(member->path) == 0 || errno == ENOENT)
		return 0;
	if (errno != EBUSY && errno != ENOTEMPTY)
		return fail(errno, "remove cgroup %s", member->path);
	/* A frozen process cannot exit. */
	tree_thaw(cgroup);
	do
		r = tree_walk(AT_FDCWD, member->path, &visit, NULL);
	while ((r == -EBUSY || r == -ENOTEMPTY) &&
	       wait_a_little(attempt++, deadline));
	return r == -EBUSY ? still_used(member->path) : r;
}

bool cgroup_remove_empty(const struct cgroup *cgroup)
{
	for (size_t i = 0; i < cgroup->n; i++) {
		const struct cgroup_member *member = &cgroup->items[i];

		if (!member->made)
			continue;
		if (rmdir(member->path) < 0)
			return false;
		if (strlen(member->path) > member->kept)
			remove_parents(member->path, member->kept);
	}
	return true;
}

int cgroup_remove(const struct cgroup *cgroup, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	int result = 0;

	for (size_t i = 0; i < cgroup->n; i++) {
		const struct cgroup_member *member = &cgroup->items[i];
		int r;

		if (!member->made)
			continue;
		r = remove_member(cgroup, member, deadline);
		if (r < 0)
			result = r;
		else if (strlen(member->path) > member->kept)
			remove_parents(member->path, member->kept);
	}
	return result;
}
