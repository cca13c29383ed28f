/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/mount_check.c - compare listed mounts with existing ones. */
#include "runtime/container/create.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/masks.h"
#include "runtime/plan/join.h"
#include "runtime/plan/mounts.h"

#define HELPER_STACK (256 << 10)

#ifndef ST_NOSYMFOLLOW
#define ST_NOSYMFOLLOW 8192
#endif

static const char reason[] = "requires the container's own mount namespace";

/* The mount at a path. */
struct present {
	dev_t dev;
	ino_t ino;
	unsigned long flags;		   /* ST_… */
	const struct mountinfo_line *line; /* NULL: nothing is mounted there */
};

static int look(const struct make_input *in, const struct mountinfo *table,
		const struct oci_mount *mount, struct present *ret)
{
	autoclose int root =
		open(in->settings.rootfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	autoclose int fd = -1;
	struct statx st;
	struct statfs fs;

	if (root < 0)
		return fail(errno, "root.path: %s", in->settings.rootfs);
	*ret = (struct present){ 0 };
	fd = root_open(root, mount->destination, O_PATH);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 || fstatfs(fd, &fs) < 0 ||
	    statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &st) < 0)
		return fail(errno, "inspect the mount at %s",
			    mount->destination);
	ret->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	ret->ino = st.stx_ino;
	ret->flags = (unsigned long)fs.f_flags;
	for (size_t i = 0; i < table->n; i++)
		if (table->items[i].id == st.stx_mnt_id &&
		    st.stx_attributes & STATX_ATTR_MOUNT_ROOT)
			ret->line = &table->items[i];
	return 0;
}

/* Translate statfs(2) flags to the attributes of mount options. */
static unsigned int attributes(const struct present *p)
{
	static const struct {
		unsigned long flag;
		unsigned int attr;
	} known[] = {
		{ ST_RDONLY, MOUNT_ATTR_RDONLY },
		{ ST_NOSUID, MOUNT_ATTR_NOSUID },
		{ ST_NODEV, MOUNT_ATTR_NODEV },
		{ ST_NOEXEC, MOUNT_ATTR_NOEXEC },
		{ ST_NOATIME, MOUNT_ATTR_NOATIME },
		{ ST_NODIRATIME, MOUNT_ATTR_NODIRATIME },
		{ ST_NOSYMFOLLOW, MOUNT_ATTR_NOSYMFOLLOW },
	};
	unsigned int set = 0;

	for (size_t i = 0; i < COUNT(known); i++)
		if (p->flags & known[i].flag)
			set |= known[i].attr;
	/* relatime, the kernel's default, has no attribute bit. */
	if (!(p->flags & (ST_NOATIME | ST_RELATIME)))
		set |= MOUNT_ATTR_STRICTATIME;
	return set;
}

static bool has_flags(const struct mount_options *o, const struct present *p)
{
	unsigned int set = attributes(p);

	return (set & o->attr_set) == o->attr_set &&
	       !(set & o->attr_clr & ~o->attr_set);
}

/* Options that change or fill a mount cannot apply to an existing one. */
static bool is_change(const struct oci_mount *m, const struct mount_options *o)
{
	return o->remount || o->tmpcopyup || o->copy_symlink || o->idmap ||
	       o->ridmap || m->has_mappings || o->rec_set || o->rec_clr;
}

static bool is_same_source(const struct make_input *in,
			   const struct oci_mount *m, const struct present *p)
{
	const char *type = p->line->type, *path = m->source;
	struct stat st;

	if (!oci_mount_is_bind(m))
		return is_set(m->type) &&
		       (streq(type, m->type) ||
			(streq(m->type, "cgroup") && streq(type, "cgroup2"))) &&
		       (!is_set(m->source) ||
			streq(p->line->source, m->source));
	if (is_set(path) && path[0] != '/')
		path = arena_printf(in->arena, "%s/%s", in->settings.bundle,
				    path);
	return is_set(path) && stat(path, &st) == 0 && st.st_dev == p->dev &&
	       st.st_ino == p->ino;
}

static int check_one(const struct make_input *in, const struct mountinfo *table,
		     const struct oci_mount *m)
{
	struct mount_options options;
	struct present present = { 0 };
	int r = mount_options_parse(in->arena, &m->options, &options);

	if (r < 0)
		return r;
	r = look(in, table, m, &present);
	if (r < 0)
		return r;
	if (!present.line)
		return fail(0, "%s is not mounted, and mounting it %s",
			    m->destination, reason);
	if (is_change(m, &options))
		return fail(0, "%s is already mounted, and changing it %s",
			    m->destination, reason);
	if (!is_same_source(in, m, &present))
		return fail(0,
			    "%s is a mount of type %s from %s, and a different "
			    "one %s",
			    m->destination, present.line->type,
			    present.line->source, reason);
	if (!has_flags(&options, &present))
		return fail(
			0,
			"%s is mounted with other flags, and changing them %s",
			m->destination, reason);
	return 0;
}

static int check_all(const struct make_input *in, int proc)
{
	struct mountinfo table;
	int r = mountinfo_read(in->arena, proc, "self", &table);

	for (size_t i = 0; r >= 0 && i < in->spec->nmounts; i++) {
		r = check_one(in, &table, &in->spec->mounts[i]);
		if (r < 0)
			return fail_in(r, "mounts[%zu]", i);
	}
	return r;
}

struct helper {
	const struct make_input *in;
	int proc;
	int result;
};

static int run_helper(void *arg)
{
	struct helper *h = arg;

	h->result = setns(h->in->join->fds[OCI_NS_MOUNT], CLONE_NEWNS) < 0 ?
			    fail(errno, "enter the mount namespace that "
					"linux.namespaces names") :
			    check_all(h->in, h->proc);
	return 0;
}

/* A helper that shares our memory checks a namespace that is joined. */
int mount_check(const struct make_input *in, int proc)
{
	struct helper helper = { .in = in, .proc = proc };
	int status = -1;
	char *stack;
	pid_t pid;

	if (in->join->fds[OCI_NS_MOUNT] < 0)
		return check_all(in, proc);
	stack = arena_alloc(in->arena, HELPER_STACK);
	if (!stack)
		return -ENOMEM;
	pid = clone(run_helper, stack + HELPER_STACK,
		    CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &helper);
	if (pid < 0)
		return fail(errno,
			    "create a process that checks the mounts in the "
			    "mount namespace of linux.namespaces");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		return fail(EIO, "check the mounts in the mount namespace of "
				 "linux.namespaces: the process that does this "
				 "was killed");
	return helper.result;
}
