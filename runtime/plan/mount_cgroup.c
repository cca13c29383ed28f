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
 * Add parameters for "cpu,cpuacct" or "name=systemd" as the kernel expects
 * them.
 */
static void add_controllers(const struct mount_job *job, struct step_fs *fs,
			    const char *controllers)
{
	struct plan *plan = job->plan;
	char *rest = arena_strdup(plan->arena, controllers), *word;
	bool any = false;

	if (!rest) {
		plan->failed = true;
		return;
	}
	while ((word = strsep(&rest, ","))) {
		if (starts_with(word, "name=")) {
			mounts_add_param(plan, fs, "name",
					 word + strlen("name="));
			continue;
		}
		mounts_add_param(plan, fs, word, NULL);
		any = true;
	}
	if (any)
		return;
	/*
	 * Use the parameters of systemd's mount: the kernel logs differences.
	 */
	mounts_add_param(plan, fs, "none", NULL);
	mounts_add_param(plan, fs, "xattr", NULL);
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

/*
 * Put a mount of one hierarchy into a slot: a new mount if a cgroup namespace
 * limits it, else the container's own directory. On a host with v2 alone,
 * engines expect the whole tree even without that namespace; a rootless runtime
 * then gives a read-only view of the host's tree (CVE-2023-25809).
 */
static int add_hierarchy(const struct mount_job *job,
			 const struct cgroup_hierarchy *h, uint16_t tree)
{
	const struct make_input *in = job->in;
	const struct cgroup_member *own = own_directory(in, h);
	bool in_namespace = has_cgroup_namespace(in);
	bool whole = in->facts->cgroups.mode == CGROUP_V2 && !in_namespace;
	uint32_t fsmount = plan_here(job->plan);
	struct step_fs *fs = NULL;

	if (in_namespace || whole) {
		fs = mounts_add_fsmount(job, h->v2 ? "cgroup2" : "cgroup",
					tree);
		if (!fs)
			return -ENOMEM;
		if (!h->v2)
			add_controllers(job, fs, h->controllers);
		mounts_on_denied_here(job->plan, fsmount);
	}
	if (own && !whole)
		add_own_clone(job, h, own, tree);
	else
		add_host_clone(job, h->mount, !whole || in->facts->rootless,
			       tree);
	if (fs)
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
	r = add_hierarchy(job, h, tree);
	if (r < 0)
		return r;
	mounts_add_changes(job, tree);
	mounts_add_move(job, tree, destination);
	return 0;
}

static int make_v1(const struct mount_job *job)
{
	const struct cgroup_layout *layout = &job->in->facts->cgroups;
	const char *destination = job->mount->destination;
	uint16_t top = plan_slot(job->plan);
	struct step_fs *fs;
	struct step *step;
	int r;

	mounts_add_point(job, destination, 0, SLOT_NONE);
	fs = mounts_add_fsmount(job, "tmpfs", top);
	if (!fs)
		return -ENOMEM;
	fs->attrs &= ~(unsigned int)MOUNT_ATTR_RDONLY;
	mounts_add_param(job->plan, fs, "mode", "755");
	mounts_add_move(job, top, destination);
	for (size_t i = 0; i < layout->n; i++) {
		const struct cgroup_hierarchy *h = &layout->items[i];
		const char *name = base_name(h->mount);
		const char *place = arena_printf(job->plan->arena, "%s/%s",
						 destination, name);

		if (!place)
			return -ENOMEM;
		r = add_hierarchy(job, h, SLOT_TREE);
		if (r < 0)
			return r;
		mounts_add_point(job, place, POINT_FRESH, top);
		mounts_add_move(job, SLOT_TREE, place);
		r = add_links(job, h, name);
		if (r < 0)
			return r;
	}
	mounts_add_changes(job, top);
	if (job->options.readonly) {
		step = mounts_add(job, STEP_SETATTR);
		step->in = top;
		step->attr.attr_set = MOUNT_ATTR_RDONLY;
	}
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
