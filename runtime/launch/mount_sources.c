/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/mount_sources.c - clone and idmap trees with the rights of the
 * runtime.
 */
#include "runtime/launch/mount_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/root.h"
#include "base/sys.h"
#include "runtime/launch/device_nodes.h"
#include "runtime/plan/plan.h"

#define HELPER_STACK 65536

/* A process that keeps new namespaces alive until they can be opened. */
struct lock_holder {
	pid_t pid;
};

static void end_holder(struct lock_holder *holder)
{
	if (holder->pid <= 0)
		return;
	/* If it cannot be killed, do not wait: it dies with this process. */
	if (kill(holder->pid, SIGKILL) < 0)
		return;
	while (waitpid(holder->pid, NULL, 0) < 0 && errno == EINTR)
		;
	holder->pid = 0;
}

static int start_holder(uint64_t namespaces, struct lock_holder *ret)
{
	const struct kernel_clone_args args = {
		.flags = namespaces,
		.exit_signal = SIGCHLD,
	};
	pid_t parent = getpid(), pid = sys_clone3(&args);

	if (pid < 0)
		return fail(errno,
			    "create a user namespace to prepare the mounts");
	if (pid == 0) {
		proc_end_with(parent);
		for (;;)
			pause();
	}
	ret->pid = pid;
	return 0;
}

static int write_map(struct arena *arena, int dir, const char *name,
		     const struct oci_id_maps *maps)
{
	const char *text = "";

	for (size_t i = 0; i < maps->n && text; i++)
		text = arena_printf(arena, "%s%u %u %u\n", text,
				    maps->items[i].container_id,
				    maps->items[i].host_id,
				    maps->items[i].size);
	return text ? io_write_at(dir, name, text) : -ENOMEM;
}

/* Make a user namespace that only has these mappings. */
static int make_userns(struct arena *arena, int proc,
		       const struct plan_source *source)
{
	AUTO(end_holder) struct lock_holder holder = { 0 };
	const char *name;
	int fd, r;

	r = start_holder(CLONE_NEWUSER, &holder);
	if (r < 0)
		return r;
	name = arena_printf(arena, "%d", holder.pid);
	if (!name)
		return -ENOMEM;

	autoclose int dir = proc_open_at(proc, name, O_PATH | O_DIRECTORY);

	if (dir < 0)
		return fail(errno, "open /proc/%s to map the IDs of a mount",
			    name);
	r = write_map(arena, dir, "uid_map", &source->uid_mappings);
	if (r < 0)
		return fail_in(r, "uidMappings");
	r = write_map(arena, dir, "gid_map", &source->gid_mappings);
	if (r < 0)
		return fail_in(r, "gidMappings");
	fd = openat(dir, "ns/user", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? fail(errno,
			     "open /proc/%s/ns/user to map the IDs of a mount",
			     name) :
			fd;
}

static int map_ids(struct arena *arena, int proc,
		   const struct plan_source *source, int tree, int userns)
{
	struct kernel_mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP };
	autoclose int own = -1;

	if (userns < 0) {
		own = make_userns(arena, proc, source);
		if (own < 0)
			return own;
		userns = own;
	}
	attr.userns_fd = (uint64_t)userns;
	if (sys_mount_setattr(tree, source->idmap_recursive ? AT_RECURSIVE : 0,
			      &attr) < 0)
		return fail(errno, "map the ids of the mount source %s",
			    source->path);
	return 0;
}

/*
 * Resolve a path below a container's root inside that root, because the
 * container can write there.
 */
static int open_place(const struct plan_source *source)
{
	int flags = O_PATH | (source->nofollow ? O_NOFOLLOW : 0);
	autoclose int root = -1;

	if (source->plain)
		return sys_openat2(AT_FDCWD, source->path, O_PATH | O_CLOEXEC,
				   0, KERNEL_RESOLVE_NO_SYMLINKS);
	if (!source->root)
		return open(source->path, flags | O_CLOEXEC);
	root = open(source->root,
		    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return root < 0 ? -1 : root_open(root, source->path, flags);
}

static int clone_source(const struct plan_source *source)
{
	const struct kernel_mount_attr attr = {
		.propagation = source->cut_off ? MS_PRIVATE : MS_SLAVE,
	};
	autoclose int place = open_place(source);
	autoclose int tree = -1;

	if (place < 0)
		return fail(errno, "open %s", source->path);
	tree = sys_open_tree(place, "",
			     OPEN_TREE_CLONE | AT_EMPTY_PATH |
				     (source->recursive ? AT_RECURSIVE : 0));
	if (tree < 0)
		return fail(errno, "copy the mount of the source %s",
			    source->path);
	/* Otherwise a mount made inside would appear on the host. */
	if (sys_mount_setattr(tree, AT_RECURSIVE, &attr) < 0)
		return fail(errno,
			    "make the copied mount of %s private or slave",
			    source->path);
	return take_fd(&tree);
}

static int open_trees(struct plan *plan, bool late, bool locked)
{
	AUTO(device_nodes_close) struct device_nodes nodes = DEVICE_NODES_NONE;

	for (size_t i = 0; i < plan->nsources; i++) {
		const struct plan_source *source = &plan->sources[i];
		int tree;

		if (source->late != late || source->locked != locked ||
		    source->in_turn)
			continue;
		tree = source->device ? device_nodes_make(&nodes, plan->arena,
							  source->device) :
					clone_source(source);
		if (tree == -ENOENT && source->asked) {
			err_clear();
			continue;
		}
		if (tree < 0)
			return fail_in(tree, "%s", source->place);
		plan->slots[source->slot] = tree;
	}
	return 0;
}

/* Arguments of a helper process that shares memory and descriptors with us. */
struct helper {
	struct plan *plan;
	bool late;
	const struct plan_source *source; /* open only this; NULL: all locked */
	int mounts; /* the mount namespace to open them in */
	int result;
};

static int open_in_place(struct helper *h)
{
	int tree;

	if (setns(h->mounts, CLONE_NEWNS) < 0)
		return fail(errno,
			    "enter the mount namespace to open the mount "
			    "sources in");
	if (!h->source)
		return open_trees(h->plan, h->late, /* locked= */ true);
	tree = clone_source(h->source);
	if (tree < 0)
		return fail_in(tree, "%s", h->source->place);
	h->plan->slots[h->source->slot] = tree;
	return 0;
}

static int run_helper(void *arg)
{
	struct helper *h = arg;

	h->result = open_in_place(h);
	return 0;
}

/* Run the helper in the mount namespace of a process. */
static int help(struct helper *helper, int proc, pid_t process)
{
	struct arena *arena = helper->plan->arena;
	char *stack = arena_alloc(arena, HELPER_STACK);
	const char *name = arena_printf(arena, "%d/ns/mnt", process);
	autoclose int mounts = -1;
	int status = -1;
	pid_t pid;

	if (!stack || !name)
		return -ENOMEM;
	mounts = openat(proc, name, O_RDONLY | O_CLOEXEC);
	if (mounts < 0)
		return fail(errno,
			    "open the mount namespace /proc/%s to open mount "
			    "sources there",
			    name);
	helper->mounts = mounts;
	pid = clone(run_helper, stack + HELPER_STACK,
		    CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, helper);
	if (pid < 0)
		return fail(errno,
			    "create a process to open the mount sources");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		return fail(EIO, "open the mount sources: the process that "
				 "does this was killed");
	return helper->result;
}

/*
 * The kernel locks the flags of a mount when it copies a mount namespace for
 * another user namespace. In a tree from our own namespace the container could
 * clear nosuid, nodev and ro of the host, so take the trees from such a copy.
 */
static int open_locked_trees(struct plan *plan, int proc, bool late)
{
	AUTO(end_holder) struct lock_holder holder = { 0 };
	struct helper helper = { .plan = plan, .late = late, .mounts = -1 };
	int r = start_holder(CLONE_NEWUSER | CLONE_NEWNS, &holder);

	return r < 0 ? r : help(&helper, proc, holder.pid);
}

static bool has_locked(const struct plan *plan, bool late)
{
	for (size_t i = 0; i < plan->nsources; i++)
		if (plan->sources[i].locked && plan->sources[i].late == late &&
		    !plan->sources[i].in_turn)
			return true;
	return false;
}

int mount_sources_open(struct plan *plan, int proc, bool late, int userns)
{
	int r = open_trees(plan, late, /* locked= */ false);

	if (r == 0 && has_locked(plan, late))
		r = open_locked_trees(plan, proc, late);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->nsources; i++) {
		const struct plan_source *source = &plan->sources[i];

		if (source->late != late || !source->idmap ||
		    plan->slots[source->slot] < 0)
			continue;
		r = map_ids(plan->arena, proc, source,
			    plan->slots[source->slot], late ? userns : -1);
		if (r < 0)
			return fail_in(r, "%s", source->place);
	}
	return 0;
}

static const struct plan_source *find_source(const struct plan *plan,
					     uint16_t slot)
{
	for (size_t i = 0; i < plan->nsources; i++)
		if (plan->sources[i].slot == slot && plan->sources[i].asked)
			return &plan->sources[i];
	return NULL;
}

int mount_sources_open_in_turn(struct plan *plan, int proc, pid_t pid,
			       uint16_t slot, int userns)
{
	struct helper helper = {
		.plan = plan,
		.source = find_source(plan, slot),
		.mounts = -1,
	};
	int r;

	if (!helper.source)
		return fail(0,
			    "the container's process requested mount source "
			    "%u, which does not exist",
			    slot);
	r = help(&helper, proc, pid);
	if (r < 0 || !helper.source->idmap)
		return r;
	r = map_ids(plan->arena, proc, helper.source, plan->slots[slot],
		    helper.source->late ? userns : -1);
	return r < 0 ? fail_in(r, "%s", helper.source->place) : 0;
}
