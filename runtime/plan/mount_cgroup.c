/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/mount_cgroup.c - plan a mount of type cgroup: one hierarchy on
 * cgroup v2, a tmpfs with a directory for each hierarchy otherwise.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/plan/mounts.h"

static bool has_cgroup_namespace(const struct make_input *in)
{
	return in->spec->linux_.namespaces[OCI_NS_CGROUP].listed;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Return the container's own directory in a hierarchy, or NULL. */
static const struct cgroup_member *
own_directory(const struct make_input *in, const struct cgroup_hierarchy *h)
{
	for (size_t i = 0; in->cgroup && i < in->cgroup->n; i++) {
		const struct cgroup_member *m = &in->cgroup->items[i];

		if (m->v2 == h->v2 && streq(m->controllers, h->controllers))
			return m;
	}
	return NULL;
}

/*
 * Return "cpu,cpuacct" or "name=systemd" as the kernel expects it. Without a
 * controller, use the parameters of systemd's mount: the kernel logs
 * differences.
 */
static const char *v1_data(struct arena *arena, const char *controllers)
{
	bool named_only = starts_with(controllers, "name=") &&
			  !strchr(controllers, ',');

	return named_only ? arena_printf(arena, "none,%s,xattr", controllers) :
			    controllers;
}

/* Clone a tree of the host instead of making a new mount. */
static void add_host_clone(const struct mount_job *job, const char *path,
			   bool readonly, uint16_t tree)
{
	unsigned int set = job->options.attr_set |
			   (readonly ? MOUNT_ATTR_RDONLY : 0);
	struct step *step;

	mounts_add_clone(job, path, AT_RECURSIVE, tree);
	if (!set)
		return;
	step = mounts_add(job, STEP_SETATTR);
	step->in = tree;
	step->flags = AT_RECURSIVE;
	step->attr.attr_set = set;
	step->attr.attr_clr = set & MOUNT_ATTR__ATIME ? MOUNT_ATTR__ATIME : 0;
}

/*
 * Clone the container's own directory. A rootless runtime may be unable to make
 * it; in that case clone a read-only view of the hierarchy.
 */
static void add_own_clone(const struct mount_job *job,
			  const struct cgroup_hierarchy *h,
			  const struct cgroup_member *own, uint16_t tree)
{
	const struct make_input *in = job->in;
	struct plan *plan = job->plan;
	uint32_t need = plan_here(plan);
	struct step *step;

	if (!in->facts->rootless || in->settings.unplaced) {
		add_host_clone(job, own->path, false, tree);
		return;
	}
	step = mounts_add(job, STEP_NEED_CGROUP);
	step->in = (uint16_t)(plan->cgroup_slot + (own - in->cgroup->items));
	step->text = own->path;
	add_host_clone(job, own->path, false, tree);
	mounts_on_denied_here(plan, need);
	uint32_t last = plan_here(plan) - 1;
	add_host_clone(job, h->mount, true, tree);
	mounts_next_here(plan, last);
}

/* Clone what a container shows that may not, or need not, make a new mount. */
static void add_clone(const struct mount_job *job,
		      const struct cgroup_hierarchy *h, bool whole,
		      uint16_t tree)
{
	const struct make_input *in = job->in;
	const struct cgroup_member *own = own_directory(in, h);

	if (own && !whole)
		add_own_clone(job, h, own, tree);
	else
		add_host_clone(job, h->mount, !whole || in->facts->rootless,
			       tree);
}

/*
 * Put a mount of the v2 hierarchy into a slot: a new mount if a cgroup
 * namespace limits it, else the container's own directory. On a host with v2
 * alone, engines expect the whole tree even without that namespace; a rootless
 * runtime then gives a read-only view of the host's tree (CVE-2023-25809).
 */
static int add_v2(const struct mount_job *job, const struct cgroup_hierarchy *h,
		  uint16_t tree)
{
	const struct make_input *in = job->in;
	bool in_namespace = has_cgroup_namespace(in);
	bool whole = in->facts->cgroups.mode == CGROUP_V2 && !in_namespace;
	uint32_t fsmount = plan_here(job->plan);

	if (in_namespace || whole) {
		if (!mounts_add_fsmount(job, "cgroup2", tree))
			return -ENOMEM;
		mounts_on_denied_here(job->plan, fsmount);
	}
	add_clone(job, h, whole, tree);
	if (in_namespace || whole)
		mounts_next_here(job->plan, fsmount);
	return 0;
}

/* /sys/fs/cgroup/cpu -> cpu,cpuacct */
static int add_links(const struct mount_job *job,
		     const struct cgroup_hierarchy *h, const char *name)
{
	struct arena *arena = job->plan->arena;
	char *rest = arena_strdup(arena, h->controllers), *word;

	if (!rest)
		return -ENOMEM;
	while ((word = strsep(&rest, ","))) {
		struct step *step;

		if (!*word || streq(word, name) || starts_with(word, "name="))
			continue;
		step = mounts_add(job, STEP_SYMLINK);
		step->text = arena_printf(arena, "%s/%s",
					  job->mount->destination, word);
		step->text2 = name;
		if (!step->text)
			return -ENOMEM;
	}
	return 0;
}

static int make_v2(const struct mount_job *job,
		   const struct cgroup_hierarchy *h)
{
	const char *destination = job->mount->destination;
	uint16_t tree = mounts_tree_slot(job);
	int r;

	mounts_add_point(job, destination, 0, SLOT_NONE);
	r = add_v2(job, h, tree);
	if (r < 0)
		return r;
	mounts_add_changes(job, tree);
	mounts_add_move(job, tree, destination);
	return 0;
}

static int add_fresh(const struct mount_job *job,
		     const struct cgroup_hierarchy *h, const char *place,
		     uint16_t top)
{
	struct arena *arena = job->plan->arena;
	struct step_fs *fs = arena_alloc(arena, sizeof *fs);
	const char *data = h->v2 ? "" : v1_data(arena, h->controllers);
	struct step *step;

	if (!fs || !data)
		return -ENOMEM;
	fs->type = h->v2 ? "cgroup2" : "cgroup";
	fs->attrs = job->options.attr_set & ~(unsigned int)MOUNT_ATTR_RDONLY;
	fs->data = data;
	step = mounts_add(job, STEP_FRESH_MOUNT);
	step->fs = fs;
	step->text = place;
	step->in = top;
	return 0;
}

/*
 * Mount one hierarchy in the new tmpfs: a new mount if a cgroup namespace
 * limits it, else, or if the kernel denies that, the container's own directory.
 */
static int add_v1(const struct mount_job *job, const struct cgroup_hierarchy *h,
		  uint16_t top)
{
	struct plan *plan = job->plan;
	const char *name = base_name(h->mount);
	const char *place = arena_printf(plan->arena, "%s/%s",
					 job->mount->destination, name);
	uint32_t fresh = plan_here(plan);
	bool in_namespace = has_cgroup_namespace(job->in);

	if (!place)
		return -ENOMEM;
	if (in_namespace) {
		int r = add_fresh(job, h, place, top);

		if (r < 0)
			return r;
		mounts_on_denied_here(plan, fresh);
	}
	add_clone(job, h, /* whole= */ false, SLOT_TREE);
	mounts_add_point(job, place, POINT_FRESH, top);
	mounts_add_move(job, SLOT_TREE, place);
	if (in_namespace)
		mounts_next_here(plan, fresh);
	return add_links(job, h, name);
}

/* The hierarchies become read-only with it, unless an option says otherwise. */
static void add_readonly(const struct mount_job *job, uint16_t top,
			 unsigned int flags)
{
	struct step *step = mounts_add(job, STEP_SETATTR);

	step->in = top;
	step->flags = flags;
	step->attr.attr_set = MOUNT_ATTR_RDONLY;
}

static int make_v1(const struct mount_job *job)
{
	const struct cgroup_layout *layout = &job->in->facts->cgroups;
	const char *destination = job->mount->destination;
	uint16_t top = plan_slot(job->plan);
	struct step_fs *fs;

	mounts_add_point(job, destination, 0, SLOT_NONE);
	fs = mounts_add_fsmount(job, "tmpfs", top);
	if (!fs)
		return -ENOMEM;
	fs->attrs &= ~(unsigned int)MOUNT_ATTR_RDONLY;
	mounts_add_param(job->plan, fs, "mode", "755");
	mounts_add_move(job, top, destination);
	for (size_t i = 0; i < layout->n; i++) {
		int r = add_v1(job, &layout->items[i], top);

		if (r < 0)
			return r;
	}
	if (job->options.readonly)
		add_readonly(job, top, AT_RECURSIVE);
	mounts_add_changes(job, top);
	if (job->options.readonly && job->options.rec_clr & MOUNT_ATTR_RDONLY)
		add_readonly(job, top, 0);
	return 0;
}

int make_cgroup_mount(const struct mount_job *job)
{
	const struct cgroup_layout *layout = &job->in->facts->cgroups;

	switch (layout->mode) {
	case CGROUP_NONE:
		return fail(0,
			    "%s: no cgroup hierarchy is mounted on this host",
			    job->place);
	case CGROUP_V2:
		return make_v2(job, &layout->items[0]);
	case CGROUP_V1:
	case CGROUP_HYBRID:
		return make_v1(job);
	}
	return 0;
}
