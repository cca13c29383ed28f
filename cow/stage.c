/* SPDX-License-Identifier: Apache-2.0 */
/* cow/stage.c - where a commit keeps files. */
#include "cow/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "cow/branch.h"
#include "cow/remove.h"
#include "cow/tree.h"

#define FILES "stage"
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void stage_close(struct stage *stage)
{
	closep(&stage->dir);
	closep(&stage->files);
	closep(&stage->trash);
}

/* i: 0 beside the workdir, 1 in it. */
static const char *place(struct arena *arena, const struct branch *branch,
			 int i)
{
	const char *slash = strrchr(branch->workdir, '/');
	size_t len = i == 0 ? (size_t)(slash - branch->workdir) :
			      strlen(branch->workdir);

	return arena_printf(arena, "%.*s/.sandlock-stage-%u-%s", (int)len,
			    branch->workdir, (unsigned int)geteuid(),
			    branch->name);
}

/* Others may have made a directory of that name, to fill it or to read it. */
static int open_own(const char *path)
{
	autoclose int fd = open(path, OPEN_DIR);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid() || (st.st_mode & 07777) != S_IRWXU)
		return -EPERM;
	return take_fd(&fd);
}

static int open_below(int dir, const char *name, bool make)
{
	int fd;

	if (make && mkdirat(dir, name, S_IRWXU) < 0 && errno != EEXIST)
		return fail(errno, "make the directory %s", name);
	fd = openat(dir, name, OPEN_DIR);
	return fd < 0 ? fail(errno, "open the directory %s", name) : fd;
}

static int open_parts(struct stage *stage, bool make)
{
	stage->trash = open_below(stage->dir, BRANCH_TRASH, make);
	if (stage->trash < 0)
		return stage->trash;
	if (!stage->copies)
		return 0;
	stage->files = open_below(stage->dir, FILES, make);
	return stage->files < 0 ? stage->files : 0;
}

/* The first place on the workdir's mount in which a directory can be made. */
static int choose(struct arena *arena, const struct branch *branch, int lower,
		  struct stage *stage)
{
	int err = EXDEV;

	for (int i = 0; i < 2; i++) {
		const char *path = place(arena, branch, i);
		int fd;

		if (!path)
			return -ENOMEM;
		if (mkdir(path, S_IRWXU) < 0 && errno != EEXIST) {
			err = errno;
			continue;
		}
		fd = open_own(path);
		if (fd >= 0 && tree_same_mount(fd, lower)) {
			stage->dir = fd;
			stage->path = path;
			stage->inside = i == 1;
			return 0;
		}
		err = fd < 0 ? -fd : EXDEV;
		closep(&fd);
		(void)rmdir(path);
	}
	return fail(err, "make a directory beside the workdir %s, or in it",
		    branch->workdir);
}

int stage_make(struct arena *arena, const struct branch *branch, int lower,
	       int upper, struct stage *ret)
{
	autostage struct stage stage = STAGE_NONE;
	int r = stage_remove(arena, branch);

	if (r < 0)
		return r;
	stage.copies = !tree_same_mount(upper, lower);
	if (tree_same_mount(branch->dir, lower))
		stage.dir = openat(branch->dir, ".", OPEN_DIR);
	else
		r = choose(arena, branch, lower, &stage);
	if (r >= 0)
		r = open_parts(&stage, true);
	if (r < 0)
		return r;
	*ret = stage;
	stage = (struct stage)STAGE_NONE;
	return 0;
}

int stage_open(const struct branch *branch, const char *path, struct stage *ret)
{
	autostage struct stage stage = STAGE_NONE;
	struct stat st;
	int r;

	stage.path = path;
	stage.inside = path && tree_is_below(path, branch->workdir);
	stage.dir = path ? open_own(path) : openat(branch->dir, ".", OPEN_DIR);
	if (stage.dir < 0)
		return fail(path ? -stage.dir : errno, "open %s",
			    path ? path : branch->path);
	stage.copies = fstatat(stage.dir, FILES, &st, AT_SYMLINK_NOFOLLOW) == 0;
	r = open_parts(&stage, false);
	if (r < 0)
		return r;
	*ret = stage;
	stage = (struct stage)STAGE_NONE;
	return 0;
}

static int remove_parts(int dir)
{
	int r = remove_tree(dir, BRANCH_TRASH);

	return r < 0 ? r : remove_tree(dir, FILES);
}

int stage_remove(struct arena *arena, const struct branch *branch)
{
	int r = remove_parts(branch->dir);

	for (int i = 0; r >= 0 && i < 2; i++) {
		const char *path = place(arena, branch, i);
		autoclose int fd = path ? open_own(path) : -ENOMEM;

		if (!path)
			return -ENOMEM;
		if (fd < 0)
			continue;
		r = remove_parts(fd);
		if (r >= 0 && rmdir(path) < 0)
			r = fail(errno, "remove %s", path);
	}
	return r < 0 ? fail_in(r, "remove what the commit has displaced") : 0;
}
