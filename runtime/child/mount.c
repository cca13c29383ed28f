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
#include <sys/mount.h>
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

#ifndef MS_NOSYMFOLLOW
#define MS_NOSYMFOLLOW 256
#endif

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

static int look_at(int fd, struct place *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &st) < 0)
		return -1;
	*ret = (struct place){
		.inode = st.stx_ino,
		.mount = st.stx_mnt_id,
		.device = makedev(st.stx_dev_major, st.stx_dev_minor),
	};
	return 0;
}

static bool is_same_place(const struct place *a, const struct place *b)
{
	return a->inode == b->inode && a->mount == b->mount &&
	       a->device == b->device;
}

/* The root stays open, so it is the same place until the end. */
static bool is_root(struct child *child, const struct place *place)
{
	if (!child->root.mount &&
	    look_at(child->slots[SLOT_ROOT], &child->root) < 0)
		return true;
	return is_same_place(place, &child->root);
}

/* Ask once for each file system: one that is mounted keeps its number. */
static bool point_is_on_proc(struct child *child, int fd,
			     const struct place *place)
{
	if (place->device && place->device == child->plain_device)
		return false;
	if (is_on_proc(fd))
		return true;
	child->plain_device = place->device;
	return false;
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

/*
 * No other process has seen the mount in `in` yet, so its paths can be trusted,
 * and a directory that was just made in it needs no descriptor and no checks.
 */
static bool make_fresh_point(struct child *child, const struct step *step)
{
	const char *name = strrchr(step->text, '/') + 1;
	int tree = child->slots[step->in];

	if (mkdirat(tree, name, 0755) < 0 && child->tried != step->text)
		return false;
	child->point_created = true;
	child->point_name = name;
	child->point_dir = tree;
	return true;
}

int child_make_above(int dir, const char *path)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof part) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(part, path, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (part[i] != '/')
			continue;
		part[i] = '\0';
		if (mkdirat(dir, part, 0755) < 0 && errno != EEXIST)
			return -1;
		part[i] = '/';
	}
	return 0;
}

static int make_entry(int dir, const char *path, bool is_dir)
{
	return is_dir ? mkdirat(dir, path, 0755) :
			mknodat(dir, path, S_IFREG | 0644, 0);
}

/*
 * Only this process sees the new root, and no mount or link is in the path. If
 * something is there already, open it as usual.
 */
static bool make_root_point(struct child *child, const struct step *step,
			    bool is_dir)
{
	const char *path = step->text + strspn(step->text, "/");
	int root = child->slots[SLOT_ROOT];

	if (make_entry(root, path, is_dir) < 0 &&
	    (errno != ENOENT || child_make_above(root, path) < 0 ||
	     make_entry(root, path, is_dir) < 0))
		return false;
	child->point_created = true;
	child->point_name = path;
	child->point_dir = root;
	return true;
}

static int open_point(struct child *child, const struct step *step, bool is_dir)
{
	int root = child->slots[SLOT_ROOT];

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
	bool is_dir = !(step->flags & POINT_FILE);
	autoclose int fd = -1;
	struct place here;
	struct stat st;

	child->point_created = false;
	child->point_is_proc = false;
	child->point_name = NULL;
	if (step->flags & POINT_FRESH && make_fresh_point(child, step))
		return 0;
	if (step->flags & POINT_LIKE_SOURCE) {
		if (fstat(child->slots[step->in], &st) < 0)
			return -1;
		is_dir = S_ISDIR(st.st_mode);
	}
	if (step->flags & POINT_NEW_ROOT &&
	    make_root_point(child, step, is_dir))
		return 0;
	fd = open_point(child, step, is_dir);
	if (fd < 0)
		return -1;
	if (look_at(fd, &here) < 0 || is_root(child, &here))
		return child_refuse(
			child, EINVAL,
			"cannot mount over /, which root.path provides");
	/* Check the file, whatever name led to it (CVE-2019-16884). */
	if (point_is_on_proc(child, fd, &here)) {
		child->point_is_proc = here.inode == PROC_ROOT_INODE;
		if (!child->point_is_proc && !mounts_may_cover(step->text))
			return child_refuse(
				child, EPERM,
				"cannot be mounted because it is inside /proc");
	}
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

/* STEP_SETATTR makes it read-only: with mount(2), the file system would be. */
static unsigned long mount_flags(unsigned int attrs)
{
	static const struct {
		unsigned int attr;
		unsigned long flag;
	} pairs[] = {
		{ MOUNT_ATTR_NOSUID, MS_NOSUID },
		{ MOUNT_ATTR_NODEV, MS_NODEV },
		{ MOUNT_ATTR_NOEXEC, MS_NOEXEC },
		{ MOUNT_ATTR_NOATIME, MS_NOATIME },
		{ MOUNT_ATTR_STRICTATIME, MS_STRICTATIME },
		{ MOUNT_ATTR_NODIRATIME, MS_NODIRATIME },
		{ MOUNT_ATTR_NOSYMFOLLOW, MS_NOSYMFOLLOW },
	};
	unsigned long flags = 0;

	for (size_t i = 0; i < COUNT(pairs); i++)
		if (attrs & pairs[i].attr)
			flags |= pairs[i].flag;
	return flags;
}

/*
 * Mount at a name in a new mount of the runtime. mount(2) does by one call what
 * takes six others, and its path is one component that no other process could
 * have changed. The working directory is set once for all of them.
 */
static int fresh_mount(struct child *child, const struct step *step)
{
	const struct step_fs *fs = step->fs;
	const char *name = strrchr(step->text, '/') + 1;
	int tree = child->slots[step->in];

	bool tries = step->flags & FRESH_TRY;

	if (mkdirat(tree, name, 0755) < 0 && (tries || errno != EEXIST))
		return tries ? child_refuse(child, EBUSY, NULL) : -1;
	if (child->cwd != step->in && fchdir(tree) < 0)
		return -1;
	child->cwd = step->in;
	if (mount(fs->source ? fs->source : fs->type, name, fs->type,
		  mount_flags(fs->attrs), fs->data) == 0)
		return 0;
	if (!tries)
		return -1;
	child->tried = step->text;
	return child_refuse(child, EBUSY, NULL);
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
	return root_open(child->slots[step->in], step->text, O_PATH | nofollow);
}

/* Like a descriptor with O_PATH, the clone of a host's path mounts nothing. */
static int open_clone(struct child *child, const struct step *step)
{
	unsigned int flags = OPEN_TREE_CLONE | (step->flags & AT_RECURSIVE);
	autoclose int origin = -1;

	if (step->in == SLOT_NONE && !(step->flags & CLONE_PLAIN))
		return sys_open_tree(AT_FDCWD, step->text,
				     flags | AT_NO_AUTOMOUNT |
					     (step->flags &
					      AT_SYMLINK_NOFOLLOW));
	origin = open_origin(child, step);
	return origin < 0 ? -1 :
			    sys_open_tree(origin, "", flags | AT_EMPTY_PATH);
}

static int clone_tree(struct child *child, const struct step *step)
{
	autoclose int tree = open_clone(child, step);

	if (tree < 0 && errno == ENOENT && step->node.mode)
		return child_refuse(child, ENOENT,
				    "the host has no such device node, and "
				    "only root with CAP_MKNOD can create one");
	if (tree < 0)
		return -1;
	if (step->node.mode && !is_device(tree, step))
		return child_refuse(
			child, ENODEV,
			"the host has a different device at this path");
	child_put(child, step->out, take_fd(&tree));
	return 0;
}

static int set_attr(struct child *child, const struct step *step)
{
	if (child->slots[step->in] < 0)
		return child_refuse(child, ENOENT, NULL);
	return sys_mount_setattr(child->slots[step->in], step->flags,
				 &step->attr);
}

/* The name must lead to the mount, whatever happened to its directory. */
static bool is_at(const struct child *child, const char *path, int tree)
{
	autoclose int seen = root_open_plain(child->slots[SLOT_ROOT], path,
					     O_PATH | O_DIRECTORY);
	struct place a, b;

	return seen >= 0 && look_at(seen, &a) == 0 && look_at(tree, &b) == 0 &&
	       is_same_place(&a, &b);
}

static int attach_tree(struct child *child, const struct step *step)
{
	int tree = child->slots[step->in];

	/* STEP_FSMOUNT has made the new procfs; others may be anything. */
	if ((step->flags & MOVE_PROC || child->point_is_proc) &&
	    step->in != SLOT_NEW_PROC && !child_is_proc_root(tree))
		return child_refuse(
			child, EPERM,
			"cannot be mounted because it is not of type proc");
	if (child->point_is_proc && step->in != SLOT_NEW_PROC)
		closep(&child->slots[SLOT_NEW_PROC]);
	if (child->point_name)
		return sys_move_mount_at(tree, child->point_dir,
					 child->point_name);
	if (sys_move_mount(tree, child->slots[step->in2]) < 0)
		return -1;
	if (step->flags & MOVE_PROC && !is_at(child, step->text, tree))
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
	case STEP_FRESH_MOUNT:
		return fresh_mount(child, step);
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
		return attach_tree(child, step);
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
