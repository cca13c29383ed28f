/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/copy.c - create files in the rootfs: device nodes, links, and
 * the copy of a directory into the tmpfs that will cover it.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/auto.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "runtime/child/mount.h"
#include "runtime/plan/mounts.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

#define COPY_DEPTH 64

static bool is_node(const struct stat *st, const struct step *step)
{
	mode_t type = step->node.mode & S_IFMT;

	return (st->st_mode & S_IFMT) == type &&
	       (type == S_IFIFO ||
		st->st_rdev == makedev(step->node.major, step->node.minor));
}

/*
 * Before Linux 6.6 the mode of an O_PATH descriptor can only be changed through
 * its link in /proc/self/fd.
 */
static int chmod_by_link(const struct child *child, int fd, mode_t mode)
{
	static const char directory[] = "self/fd/";
	char text[sizeof directory + 10];
	char *link = text + sizeof text - 1;

	*link = '\0';
	do {
		*--link = (char)('0' + fd % 10);
		fd /= 10;
	} while (fd > 0);
	link -= sizeof directory - 1;
	memcpy(link, directory, sizeof directory - 1);
	return fchmodat(child->slots[SLOT_PROC], link, mode, 0);
}

static int chmod_node(const struct child *child, int fd, mode_t mode)
{
	if (syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH) == 0)
		return 0;
	return errno == ENOSYS ? chmod_by_link(child, fd, mode) : -1;
}

/* A matching node that already exists gets the owner and mode, too. */
static int own_node(const struct child *child, int fd, const struct stat *st,
		    const struct step *step)
{
	mode_t mode = step->node.mode & 07777;

	if ((st->st_uid != step->node.uid || st->st_gid != step->node.gid) &&
	    fchownat(fd, "", step->node.uid, step->node.gid, AT_EMPTY_PATH) < 0)
		return -1;
	return (st->st_mode & 07777) != mode ? chmod_node(child, fd, mode) : 0;
}

/*
 * Open the directory that contains path, and copy the last component to name.
 * The child keeps the descriptor, as several nodes and links in a row usually
 * have the same parent.
 */
static int open_parent(struct child *child, const char *path, char *name)
{
	const char *last = strrchr(path, '/');
	size_t len = last ? (size_t)(last - path) : 0;

	if (child->parent >= 0 && last && len == child->parent_len &&
	    memcmp(path, child->parent_path, len) == 0 &&
	    strlen(last + 1) <= NAME_MAX && last[1] && last[1] != '.') {
		memcpy(name, last + 1, strlen(last + 1) + 1);
		return child->parent;
	}
	closep(&child->parent);
	child->node = NULL;
	child->parent = root_make_parent(child->slots[SLOT_ROOT], path, name);
	child->parent_path = path;
	child->parent_len = len;
	return child->parent;
}

/*
 * A directory may give its entries another mode or group. If a node came out as
 * planned, the next one with the same mode and owner does, too.
 */
static bool is_own_node(struct child *child, int parent, const char *name,
			const struct step *step)
{
	const struct step *as = child->node;
	struct stat st;

	if (as && as->node.mode == step->node.mode &&
	    as->node.uid == step->node.uid && as->node.gid == step->node.gid)
		return true;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    is_node(&st, step) && st.st_uid == step->node.uid &&
	    st.st_gid == step->node.gid &&
	    (st.st_mode & 07777) == (step->node.mode & 07777))
		child->node = step;
	return child->node == step;
}

int child_mknod(struct child *child, const struct step *step)
{
	char name[NAME_MAX + 1];
	int parent = open_parent(child, step->text, name);
	autoclose int node = -1;
	struct stat st;

	if (parent < 0)
		return -1;
	if (mknodat(parent, name, step->node.mode,
		    makedev(step->node.major, step->node.minor)) < 0) {
		if (errno != EEXIST)
			return -1;
		if (step->flags & NODE_KEEP)
			return 0;
	} else if (is_own_node(child, parent, name, step)) {
		return 0;
	}
	node = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (node < 0 || fstat(node, &st) < 0)
		return -1;
	if (!is_node(&st, step))
		return child_refuse(child, EEXIST,
				    "another file with this name exists");
	return own_node(child, node, &st, step);
}

int child_symlink(struct child *child, const struct step *step)
{
	char name[NAME_MAX + 1];
	int parent = open_parent(child, step->text, name);

	if (parent < 0)
		return -1;
	if (symlinkat(step->text2, parent, name) < 0 && errno != EEXIST)
		return -1;
	return 0;
}

static int put_text(int file, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(file, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

/* No mount is in the new root yet, and only this process sees it. */
int child_own_file(struct child *child, const struct step *step)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	const char *path = step->text + strspn(step->text, "/");
	int root = child->slots[SLOT_ROOT];
	autoclose int file = openat(root, path, flags, 0444);

	if (file < 0 && errno == ENOENT && child_make_above(root, path) == 0)
		file = openat(root, path, flags, 0444);
	if (file < 0 || put_text(file, step->text2) < 0)
		return -1;
	if (step->out != SLOT_NONE)
		child_put(child, step->out, take_fd(&file));
	return 0;
}

/* Mount the runtime's file over the host's file, which stays unchanged. */
int child_cover(struct child *child, const struct step *step)
{
	const struct kernel_mount_attr attr = {
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC,
	};
	/*
	 * Close it here: an open file would keep the root from becoming
	 * read-only.
	 */
	autoclose int file = take_fd(&child->slots[step->in]);
	autoclose int point = root_open_plain(child->slots[SLOT_ROOT],
					      step->text, O_PATH | O_NOFOLLOW);
	autoclose int tree = -1;

	if (point < 0)
		return -1;
	tree = sys_open_tree(file, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	if (tree < 0 || sys_mount_setattr(tree, 0, &attr) < 0)
		return -1;
	return sys_move_mount(tree, point);
}

/* Read the link at text2; EINVAL if it is not a link. */
static ssize_t read_origin(struct child *child, const struct step *step,
			   char *text, size_t size)
{
	int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	autoclose int fd =
		step->in == SLOT_NONE ?
			open(step->text2, flags) :
			root_open(child->slots[step->in], step->text2, flags);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (!S_ISLNK(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return readlinkat(fd, "", text, size);
}

/*
 * Copy a symbolic link. If the source is not a link, fail with EBUSY: for that
 * error the plan names the step to continue with, which mounts the source.
 */
int child_copy_symlink(struct child *child, const struct step *step)
{
	char name[NAME_MAX + 1], target[PATH_MAX], there[PATH_MAX];
	ssize_t n = read_origin(child, step, target, sizeof target - 1);
	autoclose int parent = -1;

	if (n < 0) {
		if (errno == EINVAL)
			errno = EBUSY;
		return -1;
	}
	target[n] = '\0';
	parent = root_make_parent(child->slots[SLOT_ROOT], step->text, name);
	if (parent < 0)
		return -1;
	if (symlinkat(target, parent, name) == 0)
		return 0;
	if (errno != EEXIST)
		return -1;
	if (readlinkat(parent, name, there, sizeof there) == n &&
	    memcmp(there, target, (size_t)n) == 0)
		return 0;
	return child_refuse(child, EEXIST,
			    "another file with this name exists");
}

static int copy_bytes(int from, int to)
{
	char bytes[16384];
	ssize_t n;

	while ((n = read(from, bytes, sizeof bytes)) > 0)
		for (ssize_t done = 0; done < n;) {
			ssize_t w = write(to, bytes + done, (size_t)(n - done));

			if (w < 0)
				return -1;
			done += w;
		}
	return n < 0 ? -1 : 0;
}

static int copy_owner(int to, const struct stat *st)
{
	const struct timespec times[] = { st->st_atim, st->st_mtim };

	/* chown clears setuid and setgid, so it comes first. */
	if (fchown(to, st->st_uid, st->st_gid) < 0 ||
	    fchmod(to, st->st_mode & 07777) < 0)
		return -1;
	return futimens(to, times);
}

static int copy_file(int from_dir, int to_dir, const char *name)
{
	/* If the file has become a FIFO, do not wait for a writer. */
	autoclose int from =
		openat(from_dir, name,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	autoclose int to = -1;
	struct stat st;

	if (from < 0 || fstat(from, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0600);
	if (to < 0 || copy_bytes(from, to) < 0)
		return -1;
	return copy_owner(to, &st);
}

static int copy_link(int from_dir, int to_dir, const char *name,
		     const struct stat *st)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from_dir, name, target, sizeof target - 1);

	if (n < 0)
		return -1;
	target[n] = '\0';
	if (symlinkat(target, to_dir, name) < 0)
		return -1;
	return fchownat(to_dir, name, st->st_uid, st->st_gid,
			AT_SYMLINK_NOFOLLOW);
}

static int copy_node(int to_dir, const char *name, const struct stat *st)
{
	if (mknodat(to_dir, name, st->st_mode, st->st_rdev) < 0)
		return -1;
	return fchownat(to_dir, name, st->st_uid, st->st_gid,
			AT_SYMLINK_NOFOLLOW);
}

static int copy_dir(int from, int to, int depth);

static int copy_subdir(int from_dir, int to_dir, const char *name, int depth)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	autoclose int from = openat(from_dir, name, flags);
	autoclose int to = -1;
	struct stat st;

	if (from < 0 || fstat(from, &st) < 0 || mkdirat(to_dir, name, 0700) < 0)
		return -1;
	to = openat(to_dir, name, flags);
	if (to < 0 || copy_dir(from, to, depth - 1) < 0)
		return -1;
	return copy_owner(to, &st);
}

static int copy_entry(int from, int to, const char *name, int depth)
{
	struct stat st;

	if (streq(name, ".") || streq(name, ".."))
		return 0;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	switch (st.st_mode & S_IFMT) {
	case S_IFDIR:
		return copy_subdir(from, to, name, depth);
	case S_IFREG:
		return copy_file(from, to, name);
	case S_IFLNK:
		return copy_link(from, to, name, &st);
	default:
		return copy_node(to, name, &st);
	}
}

static int copy_dir(int from, int to, int depth)
{
	_Alignas(struct kernel_dirent) char entries[2048];
	long n;

	if (depth == 0) {
		errno = ELOOP;
		return -1;
	}
	while ((n = syscall(SYS_getdents64, from, entries, sizeof entries)) > 0)
		for (long at = 0; at < n;) {
			const struct kernel_dirent *entry =
				(const void *)(entries + at);

			if (copy_entry(from, to, entry->name, depth) < 0)
				return -1;
			at += entry->len;
		}
	return n < 0 ? -1 : 0;
}

/* This runs before the tmpfs is attached, so no other process sees the copy. */
int child_copy_up(struct child *child, const struct step *step)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	autoclose int from = openat(child->slots[step->in2], ".", flags);
	autoclose int to = openat(child->slots[step->in], ".", flags);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) < 0 ||
	    copy_dir(from, to, COPY_DEPTH) < 0)
		return -1;
	return fchown(to, st.st_uid, st.st_gid);
}
