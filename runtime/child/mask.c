/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/child/mask.c - cover paths or make them read-only, and verify it. */
#include <errno.h>
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
		       int point, struct place *shown)
{
	int *slots = child->slots;
	autoclose int tree = -1;
	struct stat st;

	if (slots[fresh] >= 0) {
		if (fstat(slots[fresh], &st) < 0 ||
		    sys_move_mount(slots[fresh], point) < 0)
			return -1;
		shown->device = st.st_dev;
		shown->inode = st.st_ino;
		child_put(child, used, take_fd(&slots[fresh]));
		return 0;
	}
	tree = sys_open_tree(slots[used], "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	return tree < 0 ? -1 : sys_move_mount(tree, point);
}

static bool shows(int seen, const struct place *mask)
{
	struct stat st;

	return fstat(seen, &st) == 0 && st.st_dev == mask->device &&
	       st.st_ino == mask->inode;
}

/* in: slot of the attached directory mask, in2: of the attached null device. */
int child_mask(struct child *child, const struct step *step)
{
	int root = child->slots[SLOT_ROOT];
	autoclose int point = root_open(root, step->text, O_PATH);
	autoclose int seen = -1;
	struct place *shown;
	struct stat st;
	int r;

	if (point < 0 || fstat(point, &st) < 0)
		return -1;
	shown = S_ISDIR(st.st_mode) ? &child->empty_mask : &child->null_mask;
	r = S_ISDIR(st.st_mode) ?
		    attach_mask(child, SLOT_EMPTY_MASK, step->in, point,
				shown) :
		    attach_mask(child, SLOT_NULL_MASK, step->in2, point, shown);
	if (r < 0)
		return -1;
	seen = root_open(root, step->text, O_PATH);
	if (seen < 0 || !shows(seen, shown))
		return child_refuse(
			child, EINVAL,
			"the path is not covered: it is /, or was replaced at "
			"the same time");
	return 0;
}

int child_readonly_path(struct child *child, const struct step *step)
{
	const struct kernel_mount_attr readonly = {
		.attr_set = MOUNT_ATTR_RDONLY,
	};
	int root = child->slots[SLOT_ROOT];
	autoclose int point = root_open(root, step->text, O_PATH);
	autoclose int tree = -1, seen = -1;
	struct statfs fs;

	if (point < 0)
		return -1;
	tree = sys_open_tree(point, "",
			     OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);
	if (tree < 0 || sys_mount_setattr(tree, 0, &readonly) < 0 ||
	    sys_move_mount(tree, point) < 0)
		return -1;
	seen = root_open(root, step->text, O_PATH);
	if (seen < 0 || fstatfs(seen, &fs) < 0 || !(fs.f_flags & ST_RDONLY))
		return child_refuse(child, EINVAL,
				    "the path is still writable: it is /, or "
				    "was replaced at the same time");
	return 0;
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
