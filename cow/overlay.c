/* SPDX-License-Identifier: Apache-2.0 */
/* cow/overlay.c - options and directories of the overlay of a branch. */
#include "cow/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/strings.h"
#include "base/util.h"
#include "cow/branch.h"

#define LIST_MAX 65536
#define PROBE "probe"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif
#ifndef V9FS_MAGIC
#define V9FS_MAGIC 0x01021997
#endif
#ifndef NFS_SUPER_MAGIC
#define NFS_SUPER_MAGIC 0x6969
#endif

/* ---- options ---- */

/* The kernel splits a list of directories at ":", and options at ",". */
static char *escape(struct arena *arena, const char *path)
{
	char *text = arena_alloc(arena, 2 * strlen(path) + 1), *to = text;

	for (; text && *path; path++) {
		if (strchr(":,\\", *path))
			*to++ = '\\';
		*to++ = *path;
	}
	return text;
}

static int add(struct arena *arena, struct strings *list, const char *key,
	       const char *dir, const char *name)
{
	return strings_add(arena, list,
			   arena_printf(arena, "%s=%s%s%s", key, dir,
					*name ? "/" : "", name));
}

int overlay_options(struct arena *arena, const struct overlay *overlay,
		    struct strings *ret)
{
	/*
	 * Without redirect_dir a directory of the workdir cannot be renamed,
	 * without index an edit separates the names of a file with several.
	 * The kernel gives users neither.
	 */
	static const char *const root[] = { "redirect_dir=on", "index=on",
					    "metacopy=off" };
	static const char *const always[] = { "nosuid", "nodev", "volatile" };
	const char *lower = escape(arena, overlay->lower);
	const char *branch = escape(arena, overlay->branch);
	struct strings list = { 0 };
	int r;

	if (!lower || !branch)
		return -ENOMEM;
	if ((r = add(arena, &list, "lowerdir", lower, "")) < 0 ||
	    (r = add(arena, &list, "upperdir", branch, BRANCH_UPPER)) < 0 ||
	    (r = add(arena, &list, "workdir", branch, BRANCH_WORK)) < 0)
		return r;
	for (size_t i = 0; r == 0 && i < COUNT(always); i++)
		r = strings_add(arena, &list, always[i]);
	for (size_t i = 0; r == 0 && overlay->privileged && i < COUNT(root);
	     i++)
		r = strings_add(arena, &list, root[i]);
	if (r == 0 && overlay->privileged && overlay->other_fs)
		r = strings_add(arena, &list, "xino=on");
	if (r == 0 && !overlay->privileged)
		r = strings_add(arena, &list, "userxattr");
	*ret = list;
	return r;
}

/* ---- what the kernel accepts ---- */

const char *overlay_find_mount(const struct mountinfo *mounts,
			       const char *workdir)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const char *rest =
			mountinfo_rest(mounts->items[i].point, workdir);

		if (rest && *rest)
			return mounts->items[i].point;
	}
	return NULL;
}

/* Name a file system that cannot be an upper layer; NULL for others. */
static const char *name_unfit(long type)
{
	switch (type) {
	case OVERLAYFS_SUPER_MAGIC:
		return "overlayfs";
	case FUSE_SUPER_MAGIC:
		return "FUSE";
	case V9FS_MAGIC:
		return "9p";
	case NFS_SUPER_MAGIC:
		return "NFS";
	case MSDOS_SUPER_MAGIC:
		return "FAT";
	default:
		return NULL;
	}
}

/* The overlay notes in attributes what it has deleted and replaced. */
static int check_xattrs(int dir, const char *path, bool privileged)
{
	const char *name = privileged ? "trusted.overlay.probe" :
					"user.overlay.probe";
	autoclose int fd = -1;
	int err = 0;

	if (mkdirat(dir, PROBE, 0700) < 0)
		return fail(errno, "make %s/" PROBE, path);
	fd = openat(dir, PROBE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsetxattr(fd, name, "y", 1, 0) < 0)
		err = errno;
	(void)unlinkat(dir, PROBE, AT_REMOVEDIR);
	return err ? fail(err,
			  "%s: cannot hold a branch: its file system has no "
			  "attributes %s (choose another directory by "
			  "config.fs_storage)",
			  path, privileged ? "trusted.*" : "user.*") :
		     0;
}

int overlay_check_storage(int dir, const char *path, bool privileged)
{
	const char *unfit;
	struct statfs fs;

	if (fstatfs(dir, &fs) < 0)
		return fail(errno, "find the file system of %s", path);
	unfit = name_unfit((long)fs.f_type);
	if (unfit)
		return fail(EINVAL,
			    "%s: cannot hold a branch: it is on %s, which "
			    "cannot be the upper layer of an overlay (choose "
			    "another directory by config.fs_storage)",
			    path, unfit);
	return check_xattrs(dir, path, privileged);
}

/* ---- attributes ---- */

static int copy_xattr(int from, int to, const char *name)
{
	char value[LIST_MAX];
	ssize_t n = fgetxattr(from, name, value, sizeof value);

	if (n >= 0 && fsetxattr(to, name, value, (size_t)n, 0) == 0)
		return 0;
	/* Labels of security modules: the kernel sets them itself. */
	return starts_with(name, "security.") ?
		       0 :
		       fail(errno, "copy the attribute %s", name);
}

static int copy_xattrs(int from, int to)
{
	char names[LIST_MAX];
	ssize_t n = flistxattr(from, names, sizeof names);
	int r = 0;

	if (n < 0)
		return errno == ENOTSUP ? 0 : fail(errno, "list attributes");
	for (const char *name = names; r == 0 && name < names + n;
	     name += strlen(name) + 1)
		if (!starts_with(name, "trusted.overlay.") &&
		    !starts_with(name, "user.overlay."))
			r = copy_xattr(from, to, name);
	return r;
}

int overlay_prepare(const struct branch *branch, int workdir)
{
	autoclose int upper = branch_open_upper(branch);
	struct stat st;
	int r;

	if (upper < 0)
		return upper;
	if (fstat(workdir, &st) < 0)
		return fail(errno, "inspect the workdir %s", branch->workdir);
	if (fchown(upper, st.st_uid, st.st_gid) < 0)
		return fail(errno,
			    "config.workdir '%s': belongs to user %u and group "
			    "%u, which the caller cannot give to a branch",
			    branch->workdir, st.st_uid, st.st_gid);
	r = copy_xattrs(workdir, upper);
	if (r < 0)
		return fail_in(r, "config.workdir '%s'", branch->workdir);
	if (fchmod(upper, st.st_mode & 07777) < 0 ||
	    futimens(upper, (struct timespec[]){ st.st_atim, st.st_mtim }) < 0)
		return fail(errno, "copy mode and times of the workdir %s",
			    branch->workdir);
	return 0;
}
