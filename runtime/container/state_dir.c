/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/state_dir.c - make, lock and remove the state directory of
 * a container.
 */
#include "runtime/container/state_dir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/util.h"
#include "cgroups/rdt.h"
#include "oci/state_root.h"
#include "runtime/container/delete.h"
#include "runtime/container/lock_holder.h"
#include "runtime/container/systemd.h"
#include "runtime/enforce/placeholders.h"
#include "runtime/enforce/saved.h"

#define STATE "state.json"
#define MAX_ID 1024
#define REMOVE_MS 10000
#define LEAVE_MS 1000 /* for the supervisor to exit by itself */
#define UNLOCK_TRIES 4
#define LOCK_PAUSE_US 5000

/* Make a directory and its parents; only the last one must be private. */
static int make_root(const char *path)
{
	char prefix[4096];
	size_t len = strlen(path);
	int r = state_root_make_base(path);

	if (r < 0)
		return r;
	if (len >= sizeof prefix)
		return fail(ENAMETOOLONG, "create the state directory %s",
			    path);
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(prefix, path, i);
		prefix[i] = '\0';
		if (mkdir(prefix, path[i] ? 0755 : 0700) < 0 && errno != EEXIST)
			return fail(errno,
				    "create the state directory "
				    "%s " STATE_ELSEWHERE,
				    prefix);
	}
	return 0;
}

static int open_root(const char *path)
{
	autoclose int fd = state_root_open(path);
	struct stat st;
	int r;

	if (fd == -ENOENT) {
		err_clear();
		r = make_root(path);
		if (r < 0)
			return r;
		fd = state_root_open(path);
	}
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return fail(errno, "read the owner of the state directory %s",
			    path);
	if (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX))
		return fail(0,
			    "%s: cannot be used for state because it is "
			    "writable by everyone and not sticky (chmod o-w)",
			    path);
	/* Its owner could replace our record. */
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return fail(0,
			    "%s: cannot be used for state because it is "
			    "owned by user %u, not by root or the caller",
			    path, st.st_uid);
	return take_fd(&fd);
}

/* 0 if the directory was removed while we waited for its lock. */
static int still_there(const struct container *c)
{
	struct stat ours, named;

	if (fstat(c->dir, &ours) < 0)
		return fail(errno, "inspect the state directory of %s", c->id);
	if (fstatat(c->root, c->id, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 :
					 fail(errno,
					      "inspect the state directory "
					      "of %s",
					      c->id);
	return ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

int state_dir_lock(const struct container *container, int seconds)
{
	int tries = 10 + seconds * (1000000 / LOCK_PAUSE_US);
	int r;

	while (flock(container->dir, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(errno, "lock the state directory of %s",
				    container->id);
		if (tries-- <= 0)
			return lock_holder_fail(container);
		usleep(LOCK_PAUSE_US);
	}
	r = still_there(container);
	if (r < 0)
		return r;
	if (r == 0) {
		fail(0, "%s: container does not exist", container->id);
		return -ENOENT;
	}
	return 0;
}

void state_dir_unlock(const struct container *container)
{
	/*
	 * Unlock explicitly: a child may still have a copy of the descriptor,
	 * and a supervisor has one as long as the container lives.
	 */
	for (int tries = 0; tries < UNLOCK_TRIES; tries++)
		if (flock(container->dir, LOCK_UN) == 0)
			break;
}

static int exists_already(const char *id)
{
	fail(0, "%s: container with given ID already exists", id);
	return -EEXIST;
}

/* The ID is in use: fail if by a container, clean up if by a killed create. */
static int clear_left_over(struct arena *arena, const char *root,
			   const char *id)
{
	autocontainer struct container lock = CONTAINER_NONE;
	autocontainer struct container old = CONTAINER_NONE;
	int r = container_load(arena, root, id, &lock);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	/* `list` takes a lock for an instant, so one attempt is not enough. */
	r = state_dir_lock(&lock, 0);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return exists_already(id);
	/* Read it again: the process that had the lock may have kept it. */
	r = container_load(arena, root, id, &old);
	if (r < 0)
		return r;
	if (old.record.kept || (old.broken && !container_is_rest(&old)))
		return exists_already(id);
	return delete_container(arena, &old, NULL);
}

/* Make and lock the directory; -EEXIST if the ID was taken meanwhile. */
static int make_and_lock(struct container *c)
{
	if (mkdirat(c->root, c->id, 0700) < 0) {
		if (errno == EEXIST)
			return -EEXIST;
		return fail(errno, "create the state directory of %s", c->id);
	}
	c->dir = openat(c->root, c->id,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (c->dir < 0 && errno != ENOENT) {
		int r = fail(errno, "open the state directory of %s", c->id);

		(void)unlinkat(c->root, c->id, AT_REMOVEDIR);
		return r;
	}
	/*
	 * Between mkdir and flock, another process may have removed our
	 * directory and made one in its place. If there is a record in it, it
	 * is not ours.
	 */
	if (c->dir < 0 || flock(c->dir, LOCK_EX) < 0 || still_there(c) <= 0 ||
	    faccessat(c->dir, STATE, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		closep(&c->dir);
		return -EEXIST;
	}
	return 0;
}

int state_dir_reserve(struct arena *arena, const char *root, const char *id,
		      struct container *ret)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r;

	r = container_check_id(id);
	if (r < 0)
		return r;
	c.id = id;
	c.root = open_root(root);
	if (c.root < 0)
		return c.root;
	for (;;) {
		r = make_and_lock(&c);
		if (r == 0)
			break;
		if (r != -EEXIST)
			return r;
		r = clear_left_over(arena, root, id);
		if (r < 0)
			return r;
	}
	*ret = c;
	c = (struct container)CONTAINER_NONE;
	return 0;
}

int state_dir_save(struct arena *arena, const struct container *container)
{
	const char *json;
	size_t len;
	int r;

	r = oci_record_write(arena, &container->record, &json, &len);
	if (r < 0)
		return r;
	return io_replace_at(container->dir, STATE, json, len, 0600);
}

int state_dir_boot_id(struct arena *arena, int proc, const char **ret)
{
	static const char name[] = "sys/kernel/random/boot_id";
	autoclose int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

	if (n < 0)
		return fail(errno, "read /proc/%s", name);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	*ret = arena_strndup(arena, text, (size_t)n);
	return *ret ? 0 : -ENOMEM;
}

/* Kill init of a container without cgroups; its pid namespace dies with it. */
static void kill_init(const struct container *container)
{
	autoclose int pidfd = container_pidfd(container);
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	if (pidfd < 0)
		return;
	(void)sys_pidfd_send_signal(pidfd, SIGKILL);
	(void)poll(&p, 1, REMOVE_MS);
}

/* True if the process of the pidfd is the supervisor that the record names. */
static bool is_supervisor(const struct container *container, int pidfd)
{
	const struct oci_record *record = &container->record;
	uint64_t start;
	bool ends;

	return pidfd >= 0 && record->supervisor != getpid() &&
	       container->proc >= 0 &&
	       proc_life(container->proc, record->supervisor, &start, &ends) >=
		       0 &&
	       start == record->supervisor_start;
}

/*
 * It exits when init has ended, unless it is stopped or stuck. Its cgroup also
 * has its guard.
 */
static int end_supervisor(struct arena *arena,
			  const struct container *container)
{
	const struct oci_record list = {
		.cgroups = container->record.supervisor_cgroups,
		.ncgroups = container->record.nsupervisor_cgroups,
		.own_cgroup = true,
	};
	autoclose int pidfd = sys_pidfd_open(container->record.supervisor);
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	struct cgroup cgroup = { 0 };
	int r;

	if (is_supervisor(container, pidfd) && poll(&p, 1, LEAVE_MS) == 0) {
		(void)sys_pidfd_send_signal(pidfd, SIGKILL);
		(void)poll(&p, 1, REMOVE_MS);
	}
	r = cgroup_from_record(arena, &list, &cgroup);
	if (r >= 0)
		r = cgroup_signal(arena, &cgroup, SIGKILL);
	return r < 0 ? r : cgroup_remove(&cgroup, REMOVE_MS);
}

int state_dir_end(struct arena *arena, const struct container *container)
{
	const struct rdt rdt = {
		.group = container->record.rdt_group,
		.own_group = container->record.rdt_group != NULL,
		.monitor = container->record.rdt_monitor,
	};
	struct cgroup cgroup = { 0 };
	bool gone = false;
	int r;

	if (container->broken)
		return 0;
	/*
	 * Of another boot: processes and cgroups do not exist, or are others.
	 */
	r = container_this_boot(container);
	if (r <= 0)
		return r;
	if (container->record.own_cgroup) {
		r = cgroup_from_record(arena, &container->record, &cgroup);
		if (r < 0)
			return r;
		gone = !container->record.systemd_scope &&
		       !container->record.supervisor &&
		       cgroup_remove_empty(&cgroup);
	}
	if (container->record.own_cgroup && !gone) {
		r = cgroup_signal(arena, &cgroup, SIGKILL);
		if (r < 0)
			return r;
	}
	/* It is thawed by now: a frozen process does not die. */
	if (container->record.kept)
		kill_init(container);
	if (container->record.supervisor) {
		r = end_supervisor(arena, container);
		if (r < 0)
			return r;
	}
	if (container->record.systemd_scope) {
		r = systemd_stop(arena, &container->record);
		if (r < 0)
			return r;
	}
	if (container->record.own_cgroup && !gone) {
		r = cgroup_remove(&cgroup, REMOVE_MS);
		if (r < 0)
			return r;
	}
	return rdt_remove(&rdt);
}

/* After the record, nothing known is left in the directory. */
static int remove_directory(const struct container *container)
{
	if (unlinkat(container->dir, STATE, 0) == 0 &&
	    unlinkat(container->root, container->id, AT_REMOVEDIR) == 0)
		return 0;
	return io_remove_tree_at(container->root, container->id);
}

int state_dir_release(const struct container *container)
{
	/* The first three exist only if the record says so. */
	static const char *const names[] = { ENFORCEMENT_FILE, FLOORS_FILE,
					     POLICY_FILE,      "notify",
					     "gate",	       "config.json" };
	bool enforced = container->broken || container->record.enforced;
	int r = placeholders_release(container->dir);

	if (r < 0)
		return r;
	/* Remove the record last: until then it names what is left. */
	for (size_t i = enforced ? 0 : 3; i < COUNT(names); i++) {
		r = io_remove_tree_at(container->dir, names[i]);
		if (r < 0)
			break;
	}
	if (r >= 0)
		r = remove_directory(container);
	if (r < 0)
		return fail_in(r, "remove the state of %s", container->id);
	return 0;
}

/* ---- IDs ---- */

static bool is_id(const char *id)
{
	size_t len = strlen(id);

	if (len == 0 || len > MAX_ID || streq(id, ".") || streq(id, ".."))
		return false;
	for (; *id; id++)
		if (!isascii((unsigned char)*id) ||
		    (!isalnum((unsigned char)*id) && !strchr("_+-.", *id)))
			return false;
	return true;
}

int container_check_id(const char *id)
{
	if (!is_id(id))
		return fail(0,
			    "invalid container ID format: '%s' (allowed are "
			    "1 to %d letters, digits and _ + - . but neither "
			    ". nor ..)",
			    id, MAX_ID);
	return 0;
}

static bool is_container(int root, const struct dirent *entry)
{
	struct stat st;

	if (!is_id(entry->d_name))
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(root, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int append(struct arena *arena, struct strings *list, size_t *cap,
		  const char *id)
{
	if (list->n + 1 >= *cap) {
		size_t more = *cap ? *cap * 2 : 64;
		const char **items = arena_grow(arena, list->items, list->n,
						more, sizeof *items);

		if (!items)
			return -ENOMEM;
		list->items = items;
		*cap = more;
	}
	list->items[list->n] = arena_strdup(arena, id);
	if (!list->items[list->n])
		return -ENOMEM;
	list->items[++list->n] = NULL;
	return 0;
}

int container_ids(struct arena *arena, const char *root, struct strings *ret)
{
	int fd = state_root_open(root);
	autoclosedir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct strings list = { 0 };
	size_t cap = 0;

	if (fd < 0)
		return fd;
	if (!dir) {
		int r = fail(errno, "list the state directory %s", root);

		close(fd);
		return r;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		int r;

		if (!is_container(dirfd(dir), e))
			continue;
		r = append(arena, &list, &cap, e->d_name);
		if (r < 0)
			return r;
	}
	if (list.n)
		qsort(list.items, list.n, sizeof *list.items, by_name);
	*ret = list;
	return 0;
}
