/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/child/mask.c - cover paths or make them read-only, and verify it. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "base/auto.h"
#include "base/root.h"
#include "base/sys.h"
#include "runtime/child/mount.h"

/*
 * The first mask uses the mount itself, every later one a clone: older kernels
 * can only clone a mount that is attached.
 */
static int attach_mask(struct child *child, uint16_t fresh, uint16_t used,
		       int point, const char *name)
{
	int *slots = child->slots;
	autoclose int tree = -1;

	if (slots[fresh] >= 0) {
		if (sys_move_mount_at(slots[fresh], point, name) < 0)
			return -1;
		child_put(child, used, take_fd(&slots[fresh]));
		return 0;
	}
	tree = sys_open_tree(slots[used], "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	return tree < 0 ? -1 : sys_move_mount_at(tree, point, name);
}

/* Ask once what a mask looks like. */
static bool shows(int seen, int mask, struct place *known)
{
	struct stat st;

	if (!known->inode) {
		if (fstat(mask, &st) < 0)
			return false;
		known->device = st.st_dev;
		known->inode = st.st_ino;
	}
	return fstat(seen, &st) == 0 && st.st_dev == known->device &&
	       st.st_ino == known->inode;
}

/*
 * Find an entry of the container's procfs. Nobody can rename or replace it, so
 * it can be covered by its name, without a check afterwards; a link leads
 * elsewhere. NULL: resolve the path in the root. errno is ENOENT if the procfs
 * has no such entry.
 */
static const char *find_in_proc(const struct child *child, const char *path,
				struct stat *ret)
{
	static const char top[] = "/proc/";
	int proc = child->slots[SLOT_NEW_PROC];
	const char *name;

	errno = 0;
	if (proc < 0 || strncmp(path, top, sizeof top - 1) != 0)
		return NULL;
	name = path + sizeof top - 1;
	if (strchr(name, '/') || !*name || *name == '.' ||
	    fstatat(proc, name, ret, AT_SYMLINK_NOFOLLOW) < 0 ||
	    S_ISLNK(ret->st_mode))
		return NULL;
	return name;
}

static int put_mask(struct child *child, const struct step *step, int point,
		    const char *name, const struct stat *st)
{
	return S_ISDIR(st->st_mode) ? attach_mask(child, SLOT_EMPTY_MASK,
						  step->in, point, name) :
				      attach_mask(child, SLOT_NULL_MASK,
						  step->in2, point, name);
}

static int mask_in_root(struct child *child, const struct step *step)
{
	int root = child->slots[SLOT_ROOT];
	autoclose int point = root_open(root, step->text, O_PATH);
	autoclose int seen = -1;
	struct stat st;
	bool is_dir;

	if (point < 0 || fstat(point, &st) < 0 ||
	    put_mask(child, step, point, "", &st) < 0)
		return -1;
	is_dir = S_ISDIR(st.st_mode);
	seen = root_open(root, step->text, O_PATH);
	if (seen < 0 ||
	    !shows(seen, child->slots[is_dir ? step->in : step->in2],
		   is_dir ? &child->empty_mask : &child->null_mask))
		return child_refuse(
			child, EINVAL,
			"the path is not covered: it is /, or was replaced at "
			"the same time");
	return 0;
}

/* in: slot of the attached directory mask, in2: of the attached null device. */
int child_mask(struct child *child, const struct step *step)
{
	struct stat st;
	const char *name = find_in_proc(child, step->text, &st);

	if (name)
		return put_mask(child, step, child->slots[SLOT_NEW_PROC], name,
				&st);
	return errno == ENOENT ? -1 : mask_in_root(child, step);
}

static int attach_readonly(int dir, const char *name)
{
	const struct kernel_mount_attr readonly = {
		.attr_set = MOUNT_ATTR_RDONLY,
	};
	autoclose int tree =
		sys_open_tree(dir, name,
			      OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE |
				      AT_SYMLINK_NOFOLLOW);

	if (tree < 0 || sys_mount_setattr(tree, 0, &readonly) < 0)
		return -1;
	return sys_move_mount_at(tree, dir, name);
}

static int readonly_in_root(struct child *child, const struct step *step)
{
	int root = child->slots[SLOT_ROOT];
	autoclose int point = root_open(root, step->text, O_PATH);
	autoclose int seen = -1;
	struct statfs fs;

	if (point < 0 || attach_readonly(point, "") < 0)
		return -1;
	seen = root_open(root, step->text, O_PATH);
	if (seen < 0 || fstatfs(seen, &fs) < 0 || !(fs.f_flags & ST_RDONLY))
		return child_refuse(child, EINVAL,
				    "the path is still writable: it is /, or "
				    "was replaced at the same time");
	return 0;
}

int child_readonly_path(struct child *child, const struct step *step)
{
	struct stat st;
	const char *name = find_in_proc(child, step->text, &st);

	if (name)
		return attach_readonly(child->slots[SLOT_NEW_PROC], name);
	return errno == ENOENT ? -1 : readonly_in_root(child, step);
}

int child_own_mount(struct child *child, const struct step *step)
{
	autoclose int point =
		root_open(child->slots[SLOT_ROOT], step->text, O_PATH);
	autoclose int tree = -1;

	if (point < 0)
		return -1;
	tree = sys_open_tree(point, "",
			     OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);
	return tree < 0 ? -1 : sys_move_mount(tree, point);
}
