/* SPDX-License-Identifier: Apache-2.0 */
/* confine/covered.c - watch denied names, and cover them again. */
#include "confine/covered.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/landlock.h"

#define STACK (256UL << 10)
#define GUARD 65536
#define MEMORY (16UL << 20) /* mapped; touched only when used */

#define EVENTS                                                 \
	(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | \
	 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK)

/*
 * Programs that save a file remove it, and make it anew; a placeholder in
 * between would be in their way.
 */
#define GRACE_MS 20
/* If a name changes faster than it can be covered, the container ends. */
#define PATIENCE_MS 2000

/* What a name needs before it can be covered. */
enum { NEEDS_FILE = 1, NEEDS_ONE_LINK };

/* ---- inside the container's namespaces ---- */

static int enter(const struct covered *c, int mntns)
{
	if (setns(mntns, CLONE_NEWNS) < 0)
		return fail(errno, "enter the container's mount namespace");
	/* The namespace has another /proc, or none. */
	if (fchdir(c->proc) < 0)
		return fail(errno, "change the directory to /proc");
	return 0;
}

static int watch_dir(struct covered *c, struct covered_dir *dir)
{
	autoclose int fd =
		root_open_plain(c->root, dir->path,
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int old = dir->watch;
	struct stat st;
	char name[32];

	/* Its parent is watched, too, and tells when it is back. */
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "open %s, the directory of a denied name",
			    dir->path);
	if (old >= 0 && st.st_dev == dir->device && st.st_ino == dir->inode)
		return 0;
	snprintf(name, sizeof name, "self/fd/%d", fd);
	dir->watch = inotify_add_watch(c->events, name, EVENTS);
	if (dir->watch < 0)
		return fail(errno, "watch %s, the directory of a denied name",
			    dir->path);
	dir->device = st.st_dev;
	dir->inode = st.st_ino;
	for (size_t i = 0; old >= 0 && i < c->ndirs; i++)
		if (c->dirs[i].watch == old)
			return 0;
	if (old >= 0)
		(void)inotify_rm_watch(c->events, old);
	return 0;
}

static int watch_all(struct covered *c)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->ndirs; i++)
		r = watch_dir(c, &c->dirs[i]);
	return r;
}

/* True if the name shows the mount with this ID, or 0: any mount. */
static bool is_covered(const struct statx *st, uint64_t mount)
{
	return st->stx_attributes & STATX_ATTR_MOUNT_ROOT &&
	       (!mount || st->stx_mnt_id == mount);
}

/* Return a descriptor of what is there; -1 and errno. */
static int look(const struct covered *c, const struct covered_name *name,
		struct statx *ret)
{
	autoclose int fd = root_open_plain(c->root, name->path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH,
			    STATX_BASIC_STATS | STATX_MNT_ID, ret) < 0)
		return -1;
	return take_fd(&fd);
}

/*
 * Masks are clones of a mount that is attached. It cannot be attached where the
 * container would see it, so it gets a namespace of its own.
 */
static int make_workshop(struct covered *c)
{
	const struct kernel_mount_attr private = {
		.propagation = MS_PRIVATE,
	};
	autoclose int root = -1;
	int r;

	if (unshare(CLONE_NEWNS) < 0)
		return fail(errno, "create a mount namespace for the masks of "
				   "denied paths");
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || sys_mount_setattr(root, AT_RECURSIVE, &private) < 0)
		return fail(errno, "make the mounts of a new mount namespace "
				   "private");
	c->masks.root = root;
	r = masks_open(&c->masks);
	c->masks.root = -1;
	if (r < 0)
		return r;
	c->workshop = openat(c->proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC);
	return c->workshop < 0 ?
		       fail(errno, "open the mount namespace of the masks") :
		       0;
}

/* Only a mount of the same namespace can be cloned. */
static int clone_mask(struct covered *c, enum mask_kind kind)
{
	autoclose int tree = -1;
	int r = 0;

	if (c->workshop < 0)
		r = make_workshop(c);
	else if (setns(c->workshop, CLONE_NEWNS) < 0)
		r = fail(errno, "enter the mount namespace of the masks");
	if (r < 0)
		return r;
	tree = masks_clone(&c->masks, kind);
	r = tree < 0 ? fail(errno, "clone the mask of a denied path") :
		       enter(c, c->mntns);
	return r < 0 ? r : take_fd(&tree);
}

static int put_mask(struct covered *c, const struct covered_name *name,
		    enum mask_kind kind)
{
	autoclose int tree = clone_mask(c, kind);
	const struct masks here = { c->root, c->masks.tree };

	return tree < 0 ? tree : masks_attach(&here, tree, name->path, kind);
}

/* A link must lead where it led, as only that is covered. */
static int check_link(const struct covered *c, const struct covered_name *name)
{
	autoclose int fd = root_open_plain(c->root, name->path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char target[PATH_MAX];
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", target, sizeof target);

	if (n < 0 || n == sizeof target)
		return -EAGAIN;
	target[n] = '\0';
	if (name->target && streq(target, name->target))
		return 0;
	return fail(ELOOP,
		    "%s %s and has become a symbolic link to %s, which is not "
		    "denied",
		    name->path,
		    name->rights ? "is denied" : "leads to a denied path",
		    target);
}

/* Cover what is there now; -EAGAIN if it changed meanwhile. */
static int cover(struct covered *c, struct covered_name *name,
		 const struct statx *found)
{
	bool directory = S_ISDIR(found->stx_mode);
	bool link = S_ISLNK(found->stx_mode);
	bool absent = name->absent && S_ISSOCK(found->stx_mode);
	bool masked = !link && (absent || name->rights & LANDLOCK_MAY_READ);
	enum mask_kind kind = directory ? MASK_DIRECTORY :
			      absent	? MASK_NOTHING :
					  MASK_FILE;
	autoclose int fd = -1;
	struct statx now;
	int r;

	if (link && (r = check_link(c, name)) < 0)
		return r;
	r = masked ? put_mask(c, name, kind) :
		     masks_narrow(c->root, name->path,
				  link || name->rights & LANDLOCK_MAY_WRITE,
				  name->rights & LANDLOCK_MAY_EXECUTE);
	if (r < 0)
		return -EAGAIN;
	fd = look(c, name, &now);
	if (fd < 0 || !is_covered(&now, 0) ||
	    (!masked && now.stx_ino != found->stx_ino)) {
		(void)fail(0, "cover the denied path %s: it was replaced again",
			   name->path);
		return -EAGAIN;
	}
	name->mount = now.stx_mnt_id;
	name->times++;
	name->directory = directory;
	return 0;
}

static bool has_parent(const struct covered *c, const struct covered_name *name)
{
	const char *slash = strrchr(name->path, '/');
	char dir[PATH_MAX];
	autoclose int fd = -1;

	snprintf(dir, sizeof dir, "/%.*s", (int)(slash - name->path),
		 name->path);
	fd = root_open_plain(c->root, dir,
			     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0;
}

/* Return 0, what the name needs first, or an error. */
static int cover_name(struct covered *c, struct covered_name *name)
{
	struct statx st;
	autoclose int fd = look(c, name, &st);
	int r;

	if (fd < 0) {
		if (errno == ENOENT && has_parent(c, name))
			return name->unmade ? 0 : NEEDS_FILE;
		/* Nothing can be there while a parent is not a directory. */
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return fail(errno, "inspect the denied path %s", name->path);
	}
	if (name->mount && is_covered(&st, name->mount))
		return 0;
	r = cover(c, name, &st);
	if (r < 0)
		return r;
	if (!name->may_be_linked && S_ISREG(st.stx_mode) && st.stx_nlink > 1) {
		c->linked = take_fd(&fd);
		return NEEDS_ONE_LINK;
	}
	name->waited = name->unmade = false;
	return 0;
}

static int cover_all(struct covered *c)
{
	int r = watch_all(c);

	for (size_t i = 0; r == 0 && i < c->n; i++) {
		c->at = i;
		r = cover_name(c, &c->names[i]);
	}
	return r;
}

/* ---- a process that enters them ---- */

struct errand {
	struct covered *c;
	int (*part)(struct covered *c);
	int result;
};

static int run_errand(void *arg)
{
	struct errand *errand = arg;
	struct covered *c = errand->c;
	int r = 0;

	if (c->userns >= 0 && setns(c->userns, CLONE_NEWUSER) < 0)
		r = fail(errno, "enter the container's user namespace");
	if (r == 0)
		r = enter(c, c->mntns);
	errand->result = r < 0 ? r : errand->part(c);
	return 0;
}

/* It shares our memory and descriptors, and we wait for it. */
static int inside(struct covered *c, int (*part)(struct covered *c))
{
	struct errand errand = { c, part, -EIO };
	pid_t pid = clone(run_errand, c->stack + STACK,
			  CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD,
			  &errand);

	if (pid < 0)
		return fail(errno,
			    "create a process that covers denied paths again");
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return errand.result;
}

/* ---- changes ---- */

static bool is_entry(const char *path, const char *dir, const char *name)
{
	const char *rest = mountinfo_rest(path, dir);

	return rest && *rest == '/' && streq(rest + 1, name);
}

/* Whether a name or a directory on the way has changed. */
static bool concerns(struct covered *c, const struct inotify_event *event)
{
	bool own = event->mask &
		   (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT);

	if (event->mask & IN_Q_OVERFLOW)
		return true;
	for (size_t i = 0; i < c->ndirs; i++) {
		const char *dir = c->dirs[i].path;

		if (c->dirs[i].watch != event->wd)
			continue;
		if (event->mask & IN_IGNORED)
			c->dirs[i].watch = -1;
		if (own)
			return true;
		if (!event->len)
			continue;
		for (size_t k = 0; k < c->n; k++)
			if (is_entry(c->names[k].path, dir, event->name))
				return true;
		for (size_t k = 0; k < c->ndirs; k++)
			if (is_entry(c->dirs[k].path, dir, event->name))
				return true;
	}
	return false;
}

int covered_take_events(struct covered *c)
{
	char buffer[4096] __attribute__((aligned(8)));
	const struct inotify_event *event;
	int changed = 0;
	ssize_t n;

	while ((n = read(c->events, buffer, sizeof buffer)) > 0)
		for (char *p = buffer; p < buffer + n;
		     p += sizeof *event + event->len) {
			event = (const struct inotify_event *)p;
			changed |= concerns(c, event);
		}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return fail(errno,
			    "read the changes in directories of denied names");
	return changed;
}

/* Wait for another change, for a short time. */
static int wait_for_change(struct covered *c)
{
	int64_t until = now_ms() + GRACE_MS;
	int r = 0;

	for (int64_t now = now_ms(); r == 0 && now < until; now = now_ms()) {
		struct pollfd polled = { .fd = c->events, .events = POLLIN };

		(void)poll(&polled, 1, (int)(until - now));
		r = covered_take_events(c);
	}
	return r < 0 ? r : 0;
}

/* A program may have made the file under another name first. */
static int check_links(struct covered *c, const struct covered_name *name)
{
	autoclose int file = take_fd(&c->linked);
	struct stat st;

	(void)poll(NULL, 0, GRACE_MS);
	if (fstat(file, &st) == 0 && st.st_nlink <= 1)
		return 0;
	return fail(EMLINK,
		    "%s is denied and has become a file with another hard "
		    "link, which may not be denied",
		    name->path);
}

/* Give the name that cover_all stopped at what it needs. */
static int help(struct covered *c, int need)
{
	struct covered_name *name = &c->names[c->at];
	int r;

	if (need == NEEDS_ONE_LINK)
		return check_links(c, name);
	if (!name->waited) {
		name->waited = true;
		return wait_for_change(c);
	}
	r = c->place(c->ctx, name);
	name->unmade = r > 0;
	return r < 0 ? -EAGAIN : 0;
}

static int settle(struct covered *c)
{
	int64_t until = now_ms() + PATIENCE_MS;
	int r;

	do {
		r = inside(c, cover_all);
		if (r == 0)
			return 0;
		if (r > 0)
			r = help(c, r);
	} while ((r == 0 || r == -EAGAIN) && now_ms() < until);
	return r < 0 ? r :
		       fail(EAGAIN, "cover the denied path %s again",
			    c->names[c->at].path);
}

int covered_again(struct covered *c)
{
	int r = settle(c);

	if (r < 0)
		snprintf(c->why, COVERED_WHY, "%s", err_text());
	return r;
}

int covered_check(struct covered *c)
{
	int r = covered_take_events(c);

	return r <= 0 ? r : covered_again(c);
}

int covered_make_masks(struct covered *c)
{
	return c->workshop >= 0 ? 0 : inside(c, make_workshop);
}

/* ---- beginning and end ---- */

static bool has_dir(const struct covered *c, const char *path, size_t len)
{
	for (size_t i = 0; i < c->ndirs; i++)
		if (strlen(c->dirs[i].path) == len &&
		    strncmp(c->dirs[i].path, path, len) == 0)
			return true;
	return false;
}

static int add_dir(struct covered *c, const char *path, size_t len,
		   size_t *room)
{
	struct arena *arena = &c->memory;

	if (has_dir(c, path, len))
		return 0;
	c->dirs = arena_room(arena, c->dirs, c->ndirs, room, sizeof *c->dirs);
	if (!c->dirs)
		return -ENOMEM;
	c->dirs[c->ndirs].path = arena_strndup(arena, path, len);
	c->dirs[c->ndirs].watch = -1;
	return c->dirs[c->ndirs++].path ? 0 : -ENOMEM;
}

/* Nobody outside can replace what a mount of the container shows. */
static int list_dirs(const struct covered_input *in, struct covered *c)
{
	size_t room = 0;
	int r = 0;

	for (size_t i = 0; i < in->n; i++) {
		const char *path = in->names[i].path;
		const struct mountinfo_line *top =
			mountinfo_of(in->mounts, path);
		const char *p = path;

		if (top && !streq(top->point, "/") && !streq(top->point, path))
			p += strlen(top->point);
		for (; r == 0 && p; p = strchr(p + 1, '/'))
			r = add_dir(c, path, p == path ? 1 : (size_t)(p - path),
				    &room);
		if (r < 0)
			return r;
	}
	return 0;
}

static int copy_fd(int fd, int *ret)
{
	*ret = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return fd >= 0 && *ret < 0 ? -1 : 0;
}

static int acquire(const struct covered_input *in, struct covered *c)
{
	c->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE,
			-1, 0);
	if (c->stack == MAP_FAILED) {
		c->stack = NULL;
		return -1;
	}
	if (mprotect(c->stack, GUARD, PROT_NONE) < 0 ||
	    copy_fd(in->proc, &c->proc) < 0 ||
	    copy_fd(in->root, &c->root) < 0 ||
	    copy_fd(in->userns, &c->userns) < 0 ||
	    copy_fd(in->mntns, &c->mntns) < 0 ||
	    copy_fd(in->state, &c->state) < 0)
		return -1;
	c->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return c->events < 0 ? -1 : 0;
}

int covered_prepare(struct covered *c)
{
	int r = arena_open_shared(&c->memory, MEMORY);

	if (r < 0)
		return r;
	c->why = arena_alloc(&c->memory, COVERED_WHY);
	return c->why ? 0 : -ENOMEM;
}

int covered_open(const struct covered_input *in, struct covered *c)
{
	int r;

	c->names = in->names;
	c->n = in->n;
	c->place = in->place;
	c->ctx = in->ctx;
	r = list_dirs(in, c);
	if (r < 0)
		return r;
	if (acquire(in, c) < 0)
		return fail(errno, "watch the directories of denied names");
	return inside(c, watch_all);
}

void covered_note(struct covered *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct covered_name *name = &c->names[i];
		struct statx st;
		autoclose int fd = look(c, name, &st);

		/* If it was replaced already, there is an event. */
		if (fd >= 0 && is_covered(&st, 0)) {
			name->mount = st.stx_mnt_id;
			name->directory = S_ISDIR(st.stx_mode);
		}
	}
}

void covered_close(struct covered *c)
{
	closep(&c->events);
	closep(&c->masks.tree);
	closep(&c->workshop);
	closep(&c->linked);
	closep(&c->mntns);
	closep(&c->userns);
	closep(&c->root);
	closep(&c->proc);
	closep(&c->state);
	arena_close(&c->memory);
	if (c->stack)
		(void)munmap(c->stack, STACK);
	*c = (struct covered)COVERED_NONE;
}
