/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/child/root.c - attach the new root and switch to it. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/mountinfo.h"
#include "base/proc.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/child/mount.h"

/*
 * Make the mount that contains the rootfs private: mounts made in a shared one
 * would appear on the host, and pivot_root refuses it. Only the root of a mount
 * can be changed, so walk up until there is one.
 */
static int make_private(int dir)
{
	const struct kernel_mount_attr attr = { .propagation = MS_PRIVATE };
	autoclose int fd = openat(dir, ".", O_PATH | O_CLOEXEC);

	/*
	 * No path has more components; the loop must end even without a mount
	 * root.
	 */
	for (int i = 0; fd >= 0 && i < PATH_MAX; i++) {
		int up;

		if (sys_mount_setattr(fd, 0, &attr) == 0)
			return 0;
		if (errno != EINVAL)
			return -1;
		up = openat(fd, "..", O_PATH | O_CLOEXEC);
		closep(&fd);
		fd = up;
	}
	return -1;
}

static int attach_rootfs(struct child *child, const struct step *step)
{
	autoclose int point =
		open(step->text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int tree;

	if (point < 0 || (step->flags & MS_SHARED && make_private(point) < 0))
		return -1;
	tree = sys_open_tree(point, "",
			     OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);
	if (tree < 0)
		return -1;
	child_put(child, step->out, tree);
	return sys_move_mount(tree, point);
}

/* Attach it over a directory; only this mount namespace sees that. */
static int attach_new_root(struct child *child, const struct step *step)
{
	autoclose int point =
		open(step->text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return point < 0 ? -1 : sys_move_mount(child->slots[step->in], point);
}

static int open_root_here(struct child *child, const struct step *step)
{
	int fd =
		open(step->text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	child_put(child, step->out, fd);
	return 0;
}

static int enter(int root)
{
	if (fchdir(root) < 0 || chroot(".") < 0)
		return -1;
	return chdir("/");
}

/* If the old root is shared, its unmount would propagate to the host. */
static int stop_sharing(int old)
{
	if (fchdir(old) < 0)
		return -1;
	return mount(NULL, ".", NULL, MS_SLAVE | MS_REC, NULL);
}

static int pivot(int root, bool shared)
{
	autoclose int old =
		shared ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (shared && old < 0)
		return -1;
	if (fchdir(root) < 0 || sys_pivot_root(".", ".") < 0)
		return -1;
	if (shared && stop_sharing(old) < 0)
		return -1;
	/* The old root covers the new one, and umount2 takes the upper one. */
	if (umount2(".", MNT_DETACH) < 0)
		return -1;
	return chdir("/");
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return starts_with(path, dir) && (path[n] == '/' || path[n] == '\0');
}

/* Unmount a full proc or sysfs outside the rootfs, from a line of mountinfo. */
static int hide_line(char *text, const char *rootfs)
{
	struct mountinfo_line line;

	if (!mountinfo_parse(text, &line) ||
	    (!streq(line.type, "proc") && !streq(line.type, "sysfs")) ||
	    is_below(line.point, rootfs))
		return 0;
	if (umount2(line.point, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
		return 0;
	/* ENOENT: unmounted with its parent. If it is locked, cover it. */
	if (errno == ENOENT)
		return 0;
	if (errno != EINVAL && errno != EPERM)
		return -1;
	return mount("tmpfs", line.point, "tmpfs", 0, "mode=755");
}

/*
 * Without pivot_root the host's mounts stay below the root. A process that
 * escapes the chroot must not find a proc or sysfs without masks there.
 */
static int hide_host(struct child *child, const char *rootfs)
{
	autoclose int fd = proc_open_at(child->slots[SLOT_PROC],
					"self/mountinfo", O_RDONLY);
	char text[3 * PATH_MAX];
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, text + len, sizeof text - 1 - len)) > 0) {
		char *line = text, *end;

		len += (size_t)n;
		text[len] = '\0';
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			if (hide_line(line, rootfs) < 0)
				return -1;
			line = end + 1;
		}
		len = (size_t)(text + len - line);
		memmove(text, line, len);
	}
	return n < 0 || len > 0 ?
		       child_refuse(child, EIO, "read /proc/self/mountinfo") :
		       0;
}

static int move_root(struct child *child, const struct step *step)
{
	autoclose int old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int root = child->slots[SLOT_ROOT];

	if (old < 0 || hide_host(child, step->text) < 0 ||
	    sys_move_mount(root, old) < 0)
		return -1;
	return enter(root);
}

static int write_value(int fd, const char *value)
{
	size_t len = strlen(value);
	ssize_t n = write(fd, value, len);

	if (n < 0)
		return -1;
	errno = EIO;
	return (size_t)n == len ? 0 : -1;
}

/*
 * Write through the runtime's own /proc. Where that is covered, as inside
 * another container, use the one just mounted, verified in the same way.
 */
static int set_sysctl(struct child *child, const struct step *step)
{
	static const char top[] = "sys/";
	char path[PATH_MAX];
	autoclose int fd = -1, proc = -1;

	if (strlen(step->text) + sizeof top > sizeof path)
		return child_refuse(child, ENAMETOOLONG, NULL);
	memcpy(path, top, sizeof top - 1);
	memcpy(path + sizeof top - 1, step->text, strlen(step->text) + 1);
	fd = proc_open_at(child->slots[SLOT_PROC], path, O_WRONLY);
	if (fd < 0 && errno == EXDEV) {
		proc = root_open_plain(child->slots[SLOT_ROOT], "/proc",
				       O_PATH | O_DIRECTORY);
		if (proc < 0 || !child_is_proc_root(proc))
			return child_refuse(child, EXDEV, NULL);
		fd = proc_open_at(proc, path, O_WRONLY);
	}
	return fd < 0 ? -1 : write_value(fd, step->text2);
}

static int make_cwd(struct child *child, const struct step *step)
{
	autoclose int fd =
		root_make_dir(child->slots[SLOT_ROOT], step->text, 0755, NULL);

	return fd < 0 ? -1 : 0;
}

int child_root_step(struct child *child, const struct step *step)
{
	switch ((enum step_op)step->op) {
	case STEP_PROPAGATION:
		return mount(NULL, "/", NULL, step->flags, NULL);
	case STEP_ROOTFS:
		return attach_rootfs(child, step);
	case STEP_ATTACH_ROOT:
		return attach_new_root(child, step);
	case STEP_ROOT_HERE:
		return open_root_here(child, step);
	case STEP_PIVOT:
		return pivot(child->slots[SLOT_ROOT],
			     step->flags & PIVOT_SHARED);
	case STEP_MOVE_ROOT:
		return move_root(child, step);
	case STEP_CHROOT:
		return enter(child->slots[SLOT_ROOT]);
	case STEP_ENTER_ROOT:
		return enter(child->slots[step->in]);
	case STEP_SYSCTL:
		return set_sysctl(child, step);
	case STEP_MAKE_CWD:
		return make_cwd(child, step);
	default:
		return child_refuse(child, ENOSYS, NULL);
	}
}
