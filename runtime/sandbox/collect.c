/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/collect.c - remove sandboxes whose `sandlock` was killed.
 *
 * A `sandlock` has a lock on its sandbox from before the record exists until it
 * has removed the sandbox (container_hold). So no `sandlock` waits for a
 * sandbox with a record but without this lock, even if its processes still run.
 */
#include "runtime/sandbox/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "runtime/container/delete.h"
#include "runtime/container/session.h"
#include "runtime/container/state_dir.h"

#define MOST_NAMES 256	/* read by one start */
#define MOST_RECORDS 16 /* checked by one start, of these names */
#define LINKS_ALONE 3	/* st_nlink of a directory with one subdirectory */

/* A directory without a record is ours only in the default root. */
static bool is_dead(const struct session *session, const struct container *c)
{
	struct stat st;

	if (fstat(c->dir, &st) < 0 || st.st_uid != geteuid())
		return false;
	if (c->broken)
		return !session->root_given && container_is_rest(c);
	return c->record.sandbox && !container_held(c);
}

/* Read it again under the lock: another process may have changed the record. */
static int remove_locked(const struct session *session, const char *id)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r = container_load(session->arena, session->root, id, &c);

	return r < 0 || !is_dead(session, &c) ?
		       0 :
		       delete_container(session->arena, &c, NULL);
}

/* Skip a locked one: another command is creating or removing it. */
static int collect(const struct session *session, const char *id)
{
	autocontainer struct container lock = CONTAINER_NONE;

	if (container_load(session->arena, session->root, id, &lock) < 0 ||
	    !is_dead(session, &lock) || container_locked(&lock) ||
	    state_dir_lock(&lock, 0) < 0)
		return 0;
	return remove_locked(session, id);
}

void collect_all(const struct session *session)
{
	struct strings ids = { 0 };

	if (container_ids(session->arena, session->root, &ids) < 0)
		ids.n = 0;
	for (size_t i = 0; i < ids.n; i++)
		if (collect(session, ids.items[i]) < 0)
			log_warning("%s: %s", ids.items[i], err_text());
	err_clear();
}

static size_t read_names(struct arena *arena, int root, const char *own,
			 const char *names[static MOST_NAMES])
{
	autoclosedir DIR *dir = NULL;
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t n = 0;

	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return 0;
	}
	for (struct dirent *e; n < MOST_NAMES && (e = readdir(dir));) {
		if (streq(e->d_name, own) || e->d_name[0] == '.')
			continue;
		names[n] = arena_strdup(arena, e->d_name);
		if (!names[n])
			break;
		n++;
	}
	return n;
}

void collect_some(const struct session *session, int root, const char *own)
{
	const char *names[MOST_NAMES];
	struct err_kept kept;
	struct stat st;
	size_t n;

	if (root < 0 || fstat(root, &st) < 0 || st.st_nlink == LINKS_ALONE)
		return;
	err_keep(&kept);
	n = read_names(session->arena, root, own, names);
	/*
	 * Each start begins with another name, so that all are checked in time.
	 */
	for (size_t i = 0; i < n && i < MOST_RECORDS; i++)
		(void)collect(session, names[((size_t)getpid() + i) % n]);
	err_restore(&kept);
}
