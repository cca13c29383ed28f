/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sources.c - clone and idmap trees with the runtime's own rights. */
#include "runtime/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/root.h"
#include "base/sys.h"
#include "runtime/plan.h"

/* A process that only keeps a user namespace until it can be opened. */
struct holder {
	pid_t pid;
};

static void end_holder(struct holder *holder)
{
	if (holder->pid <= 0)
		return;
	(void)kill(holder->pid, SIGKILL);
	while (waitpid(holder->pid, NULL, 0) < 0 && errno == EINTR)
		;
	holder->pid = 0;
}

static int start_holder(struct holder *ret)
{
	const struct kernel_clone_args args = {
		.flags = CLONE_NEWUSER,
		.exit_signal = SIGCHLD,
	};
	pid_t pid = sys_clone3(&args);

	if (pid < 0)
		return fail(errno, "make a user namespace");
	if (pid == 0)
		for (;;)
			pause();
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

/* A user namespace of these mappings and nothing else. */
static int make_userns(struct arena *arena, int proc,
		       const struct plan_source *source)
{
	AUTO(end_holder) struct holder holder = { 0 };
	const char *name;
	int fd, r;

	r = start_holder(&holder);
	if (r < 0)
		return r;
	name = arena_printf(arena, "%d", holder.pid);
	if (!name)
		return -ENOMEM;

	autoclose int dir = proc_open_at(proc, name, O_PATH | O_DIRECTORY);

	if (dir < 0)
		return fail(errno, "open /proc/%s", name);
	r = write_map(arena, dir, "uid_map", &source->uid_mappings);
	if (r < 0)
		return fail_in(r, "uidMappings");
	r = write_map(arena, dir, "gid_map", &source->gid_mappings);
	if (r < 0)
		return fail_in(r, "gidMappings");
	fd = openat(dir, "ns/user", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? fail(errno, "open /proc/%s/ns/user", name) : fd;
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
		return fail(errno, "idmap %s", source->path);
	return 0;
}

/* Never a path of the host below a root that someone else can write to. */
static int open_place(const struct plan_source *source)
{
	int flags = O_PATH | (source->nofollow ? O_NOFOLLOW : 0);
	autoclose int root = -1;

	if (!source->root)
		return open(source->path, flags | O_CLOEXEC);
	root = open(source->root,
		    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return root < 0 ? -1 : root_open(root, source->path, flags);
}

static int clone_source(const struct plan_source *source)
{
	const struct kernel_mount_attr slave = { .propagation = MS_SLAVE };
	autoclose int place = open_place(source);
	autoclose int tree = -1;

	if (place < 0)
		return fail(errno, "open %s", source->path);
	tree = sys_open_tree(place, "",
			     OPEN_TREE_CLONE | AT_EMPTY_PATH |
				     (source->recursive ? AT_RECURSIVE : 0));
	if (tree < 0)
		return fail(errno, "clone %s", source->path);
	/* Or a mount made inside would appear on the host. */
	if (sys_mount_setattr(tree, AT_RECURSIVE, &slave) < 0)
		return fail(errno, "make %s a slave", source->path);
	return take_fd(&tree);
}

int sources_open(struct plan *plan, int proc, bool late, int userns)
{
	for (size_t i = 0; i < plan->nsources; i++) {
		const struct plan_source *source = &plan->sources[i];
		int r;

		if (source->late != late)
			continue;

		autoclose int tree = clone_source(source);

		if (tree < 0)
			return fail_in(tree, "%s", source->place);
		if (source->idmap) {
			r = map_ids(plan->arena, proc, source, tree,
				    late ? userns : -1);
			if (r < 0)
				return fail_in(r, "%s", source->place);
		}
		plan->slots[source->slot] = take_fd(&tree);
	}
	return 0;
}
