/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/masks.c - cover a path of a container or restrict it, and verify it.
 */
#include "confine/masks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"

/* In the tree of the masks. */
static const char *const files[] = {
	[MASK_DIRECTORY] = "d",
	[MASK_FILE] = "f",
	[MASK_NOTHING] = "n",
};

void masks_close(struct masks *masks)
{
	/*
	 * Unmount it by descriptor, as no path leads there; clones of it stay.
	 */
	if (masks->tree >= 0 && fchdir(masks->tree) == 0)
		(void)umount2(".", MNT_DETACH);
	closep(&masks->tree);
}

/*
 * No process, not even root, can open a device node on a nodev mount, or
 * connect to it. Only an attached mount can be cloned, so attach it to the root
 * for a short time, while no other process uses that.
 */
int masks_open(struct masks *masks)
{
	const struct kernel_mount_attr readonly = {
		.attr_set = MOUNT_ATTR_RDONLY,
		.propagation = MS_PRIVATE,
	};
	autoclose int fs = sys_fsopen("tmpfs");
	autoclose int tree = -1;

	if (fs < 0 ||
	    sys_fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0755") < 0 ||
	    sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return fail(errno, "create the tmpfs that covers denied paths");
	tree = sys_fsmount(fs, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID |
				       MOUNT_ATTR_NOEXEC);
	if (tree < 0 || mkdirat(tree, files[MASK_DIRECTORY], 0) < 0 ||
	    mknodat(tree, files[MASK_FILE], S_IFCHR, makedev(0, 0)) < 0 ||
	    symlinkat(MASK_NOWHERE, tree, files[MASK_NOTHING]) < 0 ||
	    sys_mount_setattr(tree, 0, &readonly) < 0 ||
	    sys_move_mount(tree, masks->root) < 0)
		return fail(errno, "mount the tmpfs that covers denied paths");
	masks->tree = take_fd(&tree);
	return 0;
}

static bool is_same(int fd, int dir, const char *name)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 &&
	       fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int masks_clone(const struct masks *masks, enum mask_kind kind)
{
	return sys_open_tree(masks->tree, files[kind],
			     OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW);
}

static int attach(const struct masks *masks, int tree, const char *path,
		  int point, enum mask_kind kind)
{
	autoclose int seen = -1;

	if (tree < 0 || sys_move_mount(tree, point) < 0)
		return fail(errno, "cover the denied path %s", path);
	seen = root_open_plain(masks->root, path,
			       O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (seen < 0 || !is_same(seen, masks->tree, files[kind]))
		return fail(0,
			    "cover the denied path %s: another process mounted "
			    "something there at the same time, try again",
			    path);
	return 0;
}

static int open_point(const struct masks *masks, const char *path,
		      struct stat *ret)
{
	autoclose int point = root_open_plain(masks->root, path,
					      O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (point < 0 || fstat(point, ret) < 0)
		return fail(errno, "cover the denied path %s", path);
	return take_fd(&point);
}

int masks_attach(const struct masks *masks, int tree, const char *path,
		 enum mask_kind kind)
{
	struct stat st;
	autoclose int point = open_point(masks, path, &st);

	return point < 0 ? point : attach(masks, tree, path, point, kind);
}

static int cover(struct masks *masks, const char *path, int point,
		 enum mask_kind kind)
{
	autoclose int tree = -1;
	int r;

	if (masks->tree < 0 && (r = masks_open(masks)) < 0)
		return r;
	tree = masks_clone(masks, kind);
	return attach(masks, tree, path, point, kind);
}

int masks_cover(struct masks *masks, const char *path)
{
	struct stat st;
	autoclose int point = open_point(masks, path, &st);

	if (point < 0)
		return point;
	return cover(masks, path, point,
		     S_ISDIR(st.st_mode) ? MASK_DIRECTORY : MASK_FILE);
}

int masks_leave_out(struct masks *masks, const char *path)
{
	struct stat st;
	autoclose int point = open_point(masks, path, &st);

	return point < 0 ? point : cover(masks, path, point, MASK_NOTHING);
}

/*
 * Mount the same tree with fewer rights; without a change it is only a mount
 * point.
 */
int masks_narrow(int root, const char *path, bool readonly, bool noexec)
{
	struct kernel_mount_attr attr = { 0 };
	autoclose int point =
		root_open_plain(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	autoclose int tree = -1, seen = -1;
	unsigned long flags = 0;
	struct statfs fs;

	if (readonly) {
		attr.attr_set |= MOUNT_ATTR_RDONLY;
		flags |= ST_RDONLY;
	}
	if (noexec) {
		attr.attr_set |= MOUNT_ATTR_NOEXEC;
		flags |= ST_NOEXEC;
	}
	if (point >= 0)
		tree = sys_open_tree(point, "",
				     OPEN_TREE_CLONE | AT_EMPTY_PATH |
					     AT_RECURSIVE);
	if (tree < 0 ||
	    (attr.attr_set &&
	     sys_mount_setattr(tree, AT_RECURSIVE, &attr) < 0) ||
	    sys_move_mount(tree, point) < 0)
		return fail(
			errno,
			"restrict the mount of %s by a bind mount onto itself",
			path);
	seen = root_open_plain(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (seen < 0 || fstatfs(seen, &fs) < 0 ||
	    ((unsigned long)fs.f_flags & flags) != flags)
		return fail(0,
			    "restrict the mount of %s: another process mounted "
			    "something there at the same time, try again",
			    path);
	return 0;
}

int masks_check(const struct mountinfo *mounts, int root, const char *path)
{
	autoclose int fd =
		root_open_plain(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statx st;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0)
		return fail(errno, "find the mount that contains %s", path);
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->items[i].id == st.stx_mnt_id &&
		    mounts->items[i].shared)
			return fail(
				0,
				"%s is on a shared mount: covering it would "
				"cover it on the host as well (make the mount "
				"private)",
				path);
	return 0;
}
