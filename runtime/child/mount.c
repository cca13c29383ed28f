/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/mount.c - make mount points and trees, and mount one on the
 * other.
 *
 * Every mount point is resolved inside the root to a descriptor, and only that
 * descriptor is used afterwards. A tree gets its attributes before any other
 * process can see it.
 */
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/auto.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/child/mount.h"
#include "runtime/plan/mounts.h"

#define PROC_ROOT_INODE 1

int child_refuse(struct child *child, int error, const char *text)
{
	if (text)
		child_note(child, text);
	errno = error;
	return -1;
}

static bool is_on_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

bool child_is_proc_root(int fd)
{
	struct stat st;

	return is_on_proc(fd) && fstat(fd, &st) == 0 &&
	       st.st_ino == PROC_ROOT_INODE;
}

static bool is_same_place(int a, int b)
{
	struct statx x, y;

	if (statx(a, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &x) < 0 ||
	    statx(b, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &y) < 0)
		return true;
	return x.stx_ino == y.stx_ino && x.stx_mnt_id == y.stx_mnt_id &&
	       x.stx_dev_major == y.stx_dev_major &&
	       x.stx_dev_minor == y.stx_dev_minor;
}

/* Follow no links for proc and sysfs: one would put them elsewhere. */
static int plain_point(struct child *child, const struct step *step)
{
	int root = child->slots[SLOT_ROOT];
	int fd = root_open_plain(root, step->text, O_PATH | O_DIRECTORY);

	if (fd < 0 && errno == ENOENT) {
		autoclose int made = root_make_dir(root, step->text, 0755,
						   &child->point_created);

		if (made < 0)
			return -1;
		fd = root_open_plain(root, step->text, O_PATH | O_DIRECTORY);
	}
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return child_refuse(child, ENOTDIR,
				    streq(step->text2, "proc") ?
					    "filesystem \"proc\" must be "
					    "mounted on ordinary directory" :
					    "filesystem \"sysfs\" must be "
					    "mounted on ordinary directory");
	return fd;
}

/*
 * dest-nofollow: if the last component is a link, the link is the mount point.
 */
static int link_point(struct child *child, const struct step *step, bool is_dir)
{
	char name[NAME_MAX + 1];
	autoclose int parent =
		root_make_parent(child->slots[SLOT_ROOT], step->text, name);
	autoclose int file = -1;
	int fd;

	if (parent < 0)
		return -1;
	fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	child->point_created = true;
	if (is_dir) {
		if (mkdirat(parent, name, 0755) < 0)
			return -1;
	} else {
		file = openat(parent, name,
			      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (file < 0)
			return -1;
	}
	return openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* No other process has seen this mount yet, so its paths can be trusted. */
static int fresh_point(struct child *child, const struct step *step)
{
	int tree = child->slots[step->in];
	const char *name = strrchr(step->text, '/') + 1;
	int fd;

	if (mkdirat(tree, name, 0755) < 0 && errno != EEXIST)
		return -1;
	fd = openat(tree, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	child_put(child, step->out, fd);
	return 0;
}

static int open_point(struct child *child, const struct step *step)
{
	int root = child->slots[SLOT_ROOT];
	bool is_dir = !(step->flags & POINT_FILE);
	struct stat st;

	if (step->flags & POINT_LIKE_SOURCE) {
		if (fstat(child->slots[step->in], &st) < 0)
			return -1;
		is_dir = S_ISDIR(st.st_mode);
	}
	if (step->flags & POINT_PLAIN)
		return plain_point(child, step);
	if (step->flags & POINT_NOFOLLOW)
		return link_point(child, step, is_dir);
	if (is_dir)
		return root_make_dir(root, step->text, 0755,
				     &child->point_created);
	return root_make_file(root, step->text, &child->point_created);
}

static int mount_point(struct child *child, const struct step *step)
{
	autoclose int fd = -1;

	if (step->flags & POINT_FRESH)
		return fresh_point(child, step);
	child->point_created = false;
	fd = open_point(child, step);
	if (fd < 0)
		return -1;
	if (is_same_place(fd, child->slots[SLOT_ROOT]))
		return child_refuse(
			child, EINVAL,
			"cannot mount over /, which root.path provides");
	/* Check the file, whatever name led to it (CVE-2019-16884). */
	if (is_on_proc(fd) && !child_is_proc_root(fd) &&
	    !mounts_may_cover(step->text))
		return child_refuse(
			child, EPERM,
			"cannot be mounted because it is inside /proc");
	child_put(child, step->out, take_fd(&fd));
	return 0;
}

static bool has_layers(const struct step_fs *want)
{
	for (size_t i = 0; i < want->nparams; i++)
		if (streq(want->params[i].key, "lowerdir+"))
			return true;
	return false;
}

/* Add the file system's own message about the failure: "e tmpfs: Bad …". */
static int fs_failed(struct child *child, int fs, const struct step_fs *want)
{
	int error = errno;
	char line[256];
	ssize_t n;

	/* Older kernels accept any string and give no message. */
	if (error == EINVAL && has_layers(want))
		child_note(child,
			   "layers longer than 255 bytes require Linux 6.8");
	while ((n = read(fs, line, sizeof line - 1)) > 2) {
		line[n] = '\0';
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == 'e') {
			child_note(child, line + 2);
			break;
		}
	}
	errno = error;
	return -1;
}

static int set_mode_of(int fs, int point)
{
	char text[5];
	struct stat st;

	if (fstat(point, &st) < 0)
		return -1;
	for (int i = 0; i < 4; i++)
		text[i] = (char)('0' + ((st.st_mode >> (9 - 3 * i)) & 7));
	text[4] = '\0';
	/* /proc/mounts shows mode=755 either way. */
	return sys_fsconfig(fs, FSCONFIG_SET_STRING, "mode", text);
}

static int set_params(int fs, const struct step_fs *want)
{
	for (size_t i = 0; i < want->nparams; i++) {
		const struct oci_annotation *p = &want->params[i];
		unsigned int how = p->value ? FSCONFIG_SET_STRING :
					      FSCONFIG_SET_FLAG;

		if (sys_fsconfig(fs, how, p->key, p->value) < 0)
			return -1;
	}
	return 0;
}

static int configure(struct child *child, int fs, const struct step *step)
{
	const struct step_fs *want = step->fs;
	const char *source = want->source && *want->source ? want->source :
							     want->type;

	if (sys_fsconfig(fs, FSCONFIG_SET_STRING, "source", source) < 0 ||
	    set_params(fs, want) < 0)
		return -1;
	if (want->mode_of_point && !child->point_created &&
	    set_mode_of(fs, child->slots[step->in]) < 0)
		return -1;
	return sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL);
}

static int make_fs(struct child *child, const struct step *step)
{
	autoclose int fs = sys_fsopen(step->fs->type);
	int tree;

	if (fs < 0)
		return -1;
	if (configure(child, fs, step) < 0)
		return fs_failed(child, fs, step->fs);
	tree = sys_fsmount(fs, step->fs->attrs);
	if (tree < 0)
		return fs_failed(child, fs, step->fs);
	child_put(child, step->out, tree);
	return 0;
}

static int reconfigure(struct child *child, const struct step *step)
{
	autoclose int fs = sys_fspick(child->slots[step->in]);

	if (fs < 0)
		return -1;
	if (set_params(fs, step->fs) < 0 ||
	    sys_fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL) < 0)
		return fs_failed(child, fs, step->fs);
	return 0;
}

static bool is_device(int fd, const struct step *step)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (st.st_mode & S_IFMT) == (step->node.mode & S_IFMT) &&
	       st.st_rdev == makedev(step->node.major, step->node.minor);
}

static int open_origin(struct child *child, const struct step *step)
{
	int nofollow = step->flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;

	if (step->flags & CLONE_PLAIN)
		return sys_openat2(AT_FDCWD, step->text, O_PATH, 0,
				   KERNEL_RESOLVE_NO_SYMLINKS);
	if (step->in == SLOT_NONE)
		return open(step->text, O_PATH | nofollow | O_CLOEXEC);
	return root_open(child->slots[step->in], step->text, O_PATH | nofollow);
}

static int clone_tree(struct child *child, const struct step *step)
{
	unsigned int recursive = step->flags & AT_RECURSIVE;
	autoclose int origin = open_origin(child, step);
	int tree;

	if (origin < 0 && errno == ENOENT && step->node.mode)
		return child_refuse(child, ENOENT,
				    "the host has no such device node, and "
				    "only root with CAP_MKNOD can create one");
	if (origin < 0)
		return -1;
	if (step->node.mode && !is_device(origin, step))
		return child_refuse(
			child, ENODEV,
			"the host has a different device at this path");
	tree = sys_open_tree(origin, "",
			     OPEN_TREE_CLONE | AT_EMPTY_PATH | recursive);
	if (tree < 0)
		return -1;
	child_put(child, step->out, tree);
	return 0;
}

static int set_attr(struct child *child, const struct step *step)
{
	if (child->slots[step->in] < 0)
		return child_refuse(child, ENOENT, NULL);
	return sys_mount_setattr(child->slots[step->in], step->flags,
				 &step->attr);
}

static int move_mount(struct child *child, const struct step *step)
{
	int tree = child->slots[step->in], point = child->slots[step->in2];
	autoclose int seen = -1;

	if ((step->flags & MOVE_PROC || child_is_proc_root(point)) &&
	    !child_is_proc_root(tree))
		return child_refuse(
			child, EPERM,
			"cannot be mounted because it is not of type proc");
	if (sys_move_mount(tree, point) < 0)
		return -1;
	if (!(step->flags & MOVE_PROC))
		return 0;
	seen = root_open_plain(child->slots[SLOT_ROOT], step->text,
			       O_PATH | O_DIRECTORY);
	if (seen < 0 || !is_same_place(seen, tree))
		return child_refuse(child, EAGAIN,
				    "the path was replaced while it was "
				    "mounted");
	return 0;
}

int child_mount_step(struct child *child, const struct step *step)
{
	switch ((enum step_op)step->op) {
	case STEP_MOUNT_POINT:
		return mount_point(child, step);
	case STEP_FSMOUNT:
		return make_fs(child, step);
	case STEP_RECONFIGURE:
		return reconfigure(child, step);
	case STEP_CLONE_TREE:
		return clone_tree(child, step);
	case STEP_NEED_CGROUP:
		errno = EACCES;
		return child->slots[step->in] < 0 ? -1 : 0;
	case STEP_SOURCE:
		return child_ask_source(child, step);
	case STEP_SETATTR:
		return set_attr(child, step);
	case STEP_MOVE_MOUNT:
		return move_mount(child, step);
	case STEP_COPY_UP:
		return child_copy_up(child, step);
	case STEP_COPY_SYMLINK:
		return child_copy_symlink(child, step);
	case STEP_MKNOD:
		return child_mknod(child, step);
	case STEP_SYMLINK:
		return child_symlink(child, step);
	case STEP_OWN_FILE:
		return child_own_file(child, step);
	case STEP_COVER:
		return child_cover(child, step);
	case STEP_MASK:
		return child_mask(child, step);
	case STEP_READONLY_PATH:
		return child_readonly_path(child, step);
	case STEP_OWN_MOUNT:
		return child_own_mount(child, step);
	default:
		return child_refuse(child, ENOSYS, NULL);
	}
}
