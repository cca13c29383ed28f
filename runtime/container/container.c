/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/container.c - load a container from disk, and find its
 * status.
 */
#include "runtime/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/util.h"
#include "cgroups/cgroup.h"
#include "oci/state_root.h"
#include "runtime/enforce/saved.h"

#define MAX_RECORD (4UL << 20)

static int not_there(const char *id)
{
	fail(0, "%s: container does not exist", id);
	return -ENOENT;
}

static int open_dir(int root, const char *path, const char *id, int flags)
{
	int dir =
		openat(root, id, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0 && (errno == ENOENT || errno == ENAMETOOLONG))
		return not_there(id);
	if (dir < 0)
		return fail(errno, "open the state directory %s/%s", path, id);
	return dir;
}

/* A user who may write the record decides what we signal and remove. */
static int check_owner(int dir, bool *ret_broken)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return fail(errno, "read the owner of the container's state "
				   "directory");
	if (st.st_uid != 0 && st.st_uid != geteuid())
		(void)fail(0,
			   "the container's state directory is owned by uid "
			   "%u, not by root or the caller",
			   st.st_uid);
	else if (st.st_mode & (S_IWGRP | S_IWOTH))
		(void)fail(0, "the container's state directory is writable by "
			      "its group or by others (chmod go-w)");
	else
		return 0;
	*ret_broken = true;
	return 0;
}

/* True for errors that are caused by the file, not by the machine. */
static bool is_no_file(int r)
{
	return r == -ENOENT || r == -ELOOP || r == -EACCES || r == -ENXIO ||
	       r == -EFBIG || r == -EISDIR;
}

/*
 * A file that is not a record makes the container broken, so that force removes
 * it. If a file cannot be read at the moment, it may be a valid record, so fail
 * instead: removing it would lose the resources it names.
 */
static int read_record(struct arena *arena, int dir, const char *id,
		       struct oci_record *ret, bool *ret_broken)
{
	autoclose int fd = openat(dir, "state.json",
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_NOCTTY | O_CLOEXEC);
	struct oci_record record = { 0 };
	size_t len;
	char *text;
	int r;

	r = fd < 0 ? fail(errno, "open the container's state.json") :
		     io_read_all(arena, fd, MAX_RECORD, &text, &len);
	if (r < 0) {
		*ret_broken = is_no_file(r);
		return *ret_broken ? 0 : fail_in(r, "%s", id);
	}
	r = oci_record_parse(arena, text, len, &record);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		(void)fail_in(r, "state.json");
	if (r >= 0 && (!is_set(record.id) || !streq(record.id, id)))
		r = fail(0, "state.json contains the ID of another container");
	*ret_broken = r < 0;
	if (r >= 0)
		*ret = record;
	return 0;
}

/* Return a record that can be listed; Go programs show this time as "none". */
static struct oci_record nothing_known(int dir, const char *id)
{
	struct stat st = { 0 };

	(void)fstat(dir, &st);
	return (struct oci_record){
		.version = "",
		.id = id,
		.bundle = "",
		.rootfs = "",
		.created = "0001-01-01T00:00:00Z",
		.boot_id = "",
		.owner = st.st_uid,
	};
}

/* Load a container whose root is open at that path. */
static int load_from(struct arena *arena, int root, const char *path,
		     const char *id, int flags, struct container *ret)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r;

	c.dir = open_dir(root, path, id, flags);
	if (c.dir < 0)
		return c.dir;
	c.id = arena_strdup(arena, id);
	if (!c.id)
		return -ENOMEM;
	r = check_owner(c.dir, &c.broken);
	if (r >= 0 && !c.broken)
		r = read_record(arena, c.dir, id, &c.record, &c.broken);
	if (r < 0)
		return r;
	if (c.broken)
		c.record = nothing_known(c.dir, c.id);
	*ret = c;
	c = (struct container)CONTAINER_NONE;
	return 0;
}

static int read_boot_id(int proc, char *ret, size_t size)
{
	autoclose int fd =
		proc_open_at(proc, "sys/kernel/random/boot_id", O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fail(errno, "open /proc/sys/kernel/random/boot_id");
	n = read(fd, ret, size - 1);
	if (n < 0)
		return fail(errno, "read /proc/sys/kernel/random/boot_id");
	ret[n] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return 0;
}

/*
 * 1, 0 or an error. If the boot id cannot be read, do not conclude that it
 * differs.
 */
static int boot_is(int proc, const char *boot_id)
{
	char now[BOOT_ID_SIZE];
	int r;

	if (!is_set(boot_id))
		return 0;
	r = read_boot_id(proc, now, sizeof now);
	if (r < 0)
		return r;
	return streq(now, boot_id);
}

/* If it fails here, the status of the container reports the error. */
static void open_proc(struct container *container)
{
	container->own_proc = proc_open();
	container->proc = container->own_proc;
	container->of_this_boot =
		container->proc >= 0 &&
		boot_is(container->proc, container->record.boot_id) > 0;
	err_clear();
}

int container_load(struct arena *arena, const char *root, const char *id,
		   struct container *ret)
{
	autoclose int fd = -1;
	int r = container_check_id(id);

	if (r < 0)
		return r;
	fd = state_root_open(root);
	if (fd == -ENOENT) {
		err_clear();
		return not_there(id);
	}
	if (fd < 0)
		return fd;
	r = load_from(arena, fd, root, id, O_RDONLY, ret);
	if (r < 0)
		return r;
	ret->root = take_fd(&fd);
	/* The error says why it is broken. */
	if (!ret->broken)
		open_proc(ret);
	return 0;
}

int container_load_sound(struct arena *arena, const char *root, const char *id,
			 struct container *ret)
{
	int r = container_load(arena, root, id, ret);

	if (r < 0)
		return r;
	if (!ret->broken)
		return 0;
	container_close(ret);
	return fail_in(-EINVAL, "%s: container is broken", id);
}

void container_close(struct container *container)
{
	closep(&container->dir);
	closep(&container->root);
	closep(&container->own_proc);
	container->proc = -1;
}

int containers_open(const char *root, struct containers *ret)
{
	struct containers all = CONTAINERS_NONE;

	all.path = root;
	all.root = state_root_open(root);
	if (all.root < 0)
		return all.root;
	/* If it fails here, the status of a container reports the error. */
	all.proc = proc_open();
	if (all.proc < 0 ||
	    read_boot_id(all.proc, all.boot_id, sizeof all.boot_id) < 0) {
		closep(&all.proc);
		err_clear();
	}
	*ret = all;
	return 0;
}

void containers_close(struct containers *all)
{
	closep(&all->near.dir);
	closep(&all->proc);
	closep(&all->root);
}

int containers_load(struct arena *arena, struct containers *all, const char *id,
		    struct container *ret)
{
	int r = load_from(arena, all->root, all->path, id, O_PATH, ret);

	if (r < 0)
		return r;
	ret->proc = all->proc;
	ret->near = &all->near;
	ret->of_this_boot = is_set(ret->record.boot_id) &&
			    streq(ret->record.boot_id, all->boot_id);
	return 0;
}

/*
 * If it cannot be read, assume no difference: unprivileged callers may not read
 * it. Reading the link "pid:[INODE]" takes half of the time of a stat, for
 * which the kernel makes an inode.
 */
static bool in_other_pid_ns(int proc, const struct oci_record *record)
{
	static const char before[] = "pid:[";
	uint64_t known = record->ns_inodes[OCI_NS_PID];
	char path[64], link[64];
	ssize_t n;

	if (!known)
		return false;
	snprintf(path, sizeof path, "%d/ns/pid", record->pid);
	n = readlinkat(proc, path, link, sizeof link - 1);
	if (n < 0)
		return false;
	link[n] = '\0';
	return !starts_with(link, before) ||
	       strtoull(link + strlen(before), NULL, 10) != known;
}

/*
 * 1 if the recorded process lives and is not exiting, else 0; execed: whether
 * it has called execve.
 */
static int init_lives(const struct container *container, bool *ret_execed)
{
	const struct oci_record *record = &container->record;
	autoclose int opened = container->proc < 0 ? proc_open() : -1;
	int proc = container->proc < 0 ? opened : container->proc;
	uint64_t start, flags;
	bool ends;
	int r;

	if (proc < 0)
		return proc;
	if (record->pid <= 0)
		return 0;
	r = container->of_this_boot ? 1 : boot_is(proc, record->boot_id);
	if (r <= 0)
		return r;
	r = proc_flags(proc, record->pid, &start, &flags);
	if (r == -ENOENT || r == -ESRCH) {
		err_clear();
		return 0;
	}
	if (r < 0)
		return r;
	ends = flags & PROC_EXITING;
	*ret_execed = !(flags & PROC_NEVER_EXECED);
	return start == record->start_time && !ends &&
	       !in_other_pid_ns(proc, record);
}

int container_this_boot(const struct container *container)
{
	autoclose int proc = -1;

	if (container->of_this_boot)
		return 1;
	proc = proc_open();
	return proc < 0 ? proc : boot_is(proc, container->record.boot_id);
}

bool container_locked(const struct container *container)
{
	/*
	 * A lock belongs to an open file: ours would not conflict with itself.
	 */
	autoclose int dir =
		openat(container->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir >= 0 && flock(dir, LOCK_SH | LOCK_NB) < 0 &&
	       errno == EWOULDBLOCK;
}

/* Names that may exist before the record does, or after its removal. */
static bool is_rest(const char *name)
{
	static const char *const names[] = { ".",
					     "..",
					     "state.json.tmp",
					     "placeholders",
					     "placeholders.tmp",
					     "resources.json",
					     "resources.json.tmp",
					     "control",
					     UPDATE_FILE,
					     UPDATE_TEMPORARY };

	for (size_t i = 0; i < COUNT(names); i++)
		if (streq(name, names[i]))
			return true;
	return false;
}

bool container_is_rest(const struct container *container)
{
	int fd =
		openat(container->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclosedir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!dir && fd >= 0)
		close(fd);
	do
		e = dir ? readdir(dir) : NULL;
	while (e && is_rest(e->d_name));
	return dir && !e;
}

int container_hold(const struct container *container)
{
	/* OFD, as commands use flock; shared, as dir is open read-only. */
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	if (fcntl(container->dir, F_OFD_SETLK, &lock) < 0)
		return fail(errno, "lock the state directory of %s",
			    container->id);
	return 0;
}

bool container_held(const struct container *container)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	/* If the kernel cannot tell, assume that there is a lock. */
	return fcntl(container->dir, F_OFD_GETLK, &lock) < 0 ||
	       lock.l_type != F_UNLCK;
}

void container_gate(const struct container *container, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* Use the descriptor, because the path may be too long for sun_path. */
	snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/gate",
		 container->dir);
}

/*
 * Init has the gate until `start`, and calls execve for the first time then;
 * the file stays. Connecting would show the same, but wake init.
 */
static bool has_gate(const struct container *container)
{
	return faccessat(container->dir, "gate", F_OK, AT_SYMLINK_NOFOLLOW) ==
	       0;
}

int container_status(const struct container *container, enum oci_status *ret)
{
	const struct oci_record *record = &container->record;
	bool execed;
	int lives;

	if (!record->kept) {
		*ret = container_locked(container) ? OCI_CREATING : OCI_STOPPED;
		return 0;
	}
	lives = init_lives(container, &execed);
	if (lives < 0)
		return lives;
	if (!lives)
		*ret = OCI_STOPPED;
	else if (cgroup_frozen(record, container->near))
		*ret = OCI_PAUSED;
	else
		*ret = !execed && has_gate(container) ? OCI_CREATED :
							OCI_RUNNING;
	return 0;
}

int container_pidfd(const struct container *container)
{
	const struct oci_record *record = &container->record;
	autoclose int pidfd = -1;
	bool execed;
	int lives;

	if (record->pid > 0)
		pidfd = sys_pidfd_open(record->pid);
	if (pidfd < 0 && record->pid > 0 && errno != ESRCH && errno != EINVAL)
		return fail(errno, "open a pidfd of the container's process %d",
			    record->pid);
	/* Check after opening, so that a reused pid is noticed. */
	lives = pidfd < 0 ? 0 : init_lives(container, &execed);
	if (lives < 0)
		return lives;
	if (!lives) {
		fail(0, "%s: container not running", container->id);
		return -ESRCH;
	}
	return take_fd(&pidfd);
}

int container_spec(struct arena *arena, const struct container *container,
		   struct oci_spec *ret)
{
	return oci_spec_load(arena, container->dir, "config.json", ret);
}

int container_freeze(struct arena *arena, const struct container *container,
		     bool on)
{
	struct cgroup cgroup = { 0 };
	int r = cgroup_from_record(arena, &container->record, &cgroup);

	return r < 0 ? r : cgroup_freeze(&cgroup, on);
}

int container_is_enforced(const struct container *container)
{
	if (container->record.enforced)
		return 1;
	/* A record of an earlier version does not say so, but has a policy. */
	if (faccessat(container->dir, POLICY_FILE, F_OK, AT_SYMLINK_NOFOLLOW) ==
	    0)
		return fail(0,
			    "%s: state.json does not say that a policy is "
			    "enforced, but " POLICY_FILE " exists: delete the "
			    "container and create it again",
			    container->id);
	return errno == ENOENT ?
		       0 :
		       fail(errno,
			    "%s: find out whether its state directory "
			    "contains " POLICY_FILE,
			    container->id);
}

int container_enforcement(struct arena *arena,
			  const struct container *container,
			  struct enforcement *ret)
{
	int r = container_is_enforced(container);

	if (r == 0)
		*ret = (struct enforcement){ .kind = ENFORCE_NOTHING };
	if (r <= 0)
		return r;
	r = enforce_load(arena, container->dir, ret);
	return r < 0 ? fail_in(r, "%s", container->id) : 0;
}
