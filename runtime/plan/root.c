/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/root.c - plan the steps from a mounted rootfs to the container's
 * final view of it.
 */
#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/plan/mounts.h"

#define NULL_MAJOR 1
#define NULL_MINOR 3

/*
 * Open these before the root changes: the container's own /dev/null may be any
 * file (CVE-2025-31133). They are read-only, since chmod would change the
 * host's node.
 */
static int add_mask_sources(const struct mount_job *job)
{
	struct step *step =
		mounts_add_clone(job, "/dev/null", 0, SLOT_NULL_MASK);
	struct step_fs *fs;

	step->node.mode = S_IFCHR;
	step->node.major = NULL_MAJOR;
	step->node.minor = NULL_MINOR;
	step = mounts_add(job, STEP_SETATTR);
	step->text = "/dev/null";
	step->in = SLOT_NULL_MASK;
	step->attr.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
			      MOUNT_ATTR_NOEXEC;
	step->attr.propagation = MS_PRIVATE;
	fs = mounts_add_fsmount(job, "tmpfs", SLOT_EMPTY_MASK);
	if (!fs)
		return -ENOMEM;
	fs->attrs = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
		    MOUNT_ATTR_NOEXEC;
	mounts_add_param(job->plan, fs, "mode", "755");
	mounts_add_param(job->plan, fs, "nr_blocks", "1");
	mounts_add_param(job->plan, fs, "nr_inodes", "1");
	if (is_set(job->in->spec->linux_.mount_label))
		mounts_add_param(job->plan, fs, "context",
				 job->in->spec->linux_.mount_label);
	return 0;
}

static int add_switch(const struct make_input *in, struct plan *plan)
{
	const struct oci_linux *l = &in->spec->linux_;
	struct step *step;

	if (!in->settings.no_pivot) {
		plan_add(plan, STEP_PIVOT)->flags =
			l->rootfs_propagation & MS_SHARED ? PIVOT_SHARED : 0;
		return 0;
	}
	if (l->rootfs_propagation & MS_PRIVATE)
		return fail(0,
			    "linux.rootfsPropagation: \"%s\" is not supported "
			    "with --no-pivot",
			    l->rootfs_propagation_name);
	step = plan_add(plan, STEP_MOVE_ROOT);
	step->text = in->settings.rootfs;
	return 0;
}

static int add_sysctls(const struct make_input *in, struct plan *plan)
{
	const struct oci_linux *l = &in->spec->linux_;

	for (size_t i = 0; i < l->nsysctls; i++) {
		struct step *step = plan_add(plan, STEP_SYSCTL);

		step->place = arena_printf(in->arena, "linux.sysctl[\"%s\"]",
					   l->sysctls[i].key);
		step->text = l->sysctls[i].path;
		step->text2 = l->sysctls[i].value;
		if (!step->place)
			return -ENOMEM;
	}
	return 0;
}

/* The paths of earlier steps, by hash; at least half of it is empty. */
struct path_set {
	const char **items;
	size_t size; /* a power of two */
};

static int open_set(struct arena *arena, size_t n, struct path_set *ret)
{
	ret->size = 2;
	while (ret->size < 2 * n)
		ret->size *= 2;
	ret->items = arena_array(arena, ret->size, sizeof *ret->items);
	return ret->items ? 0 : -ENOMEM;
}

static bool add_once(struct path_set *set, const char *path)
{
	uint32_t hash = 2166136261;

	for (const char *p = path; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619;
	for (size_t i = hash;; i++) {
		const char **item = &set->items[i & (set->size - 1)];

		if (*item && streq(*item, path))
			return false;
		if (*item)
			continue;
		*item = path;
		return true;
	}
}

/* Add each path once, however often it is listed. */
static int add_paths(const struct make_input *in, struct plan *plan,
		     enum step_op op, const char *field,
		     const struct strings *paths)
{
	uint16_t used_empty = plan_slot(plan), used_null = plan_slot(plan);
	struct path_set earlier;
	int r = open_set(in->arena, paths->n, &earlier);

	if (r < 0)
		return r;
	for (size_t i = 0; i < paths->n; i++) {
		const char *path = mounts_tidy(in->arena, paths->items[i]);
		struct step *step;

		if (!path)
			return -ENOMEM;
		if (!add_once(&earlier, path))
			continue;
		step = plan_add(plan, op);
		step->place =
			arena_printf(in->arena, "linux.%s[%zu]", field, i);
		step->text = path;
		step->skip_missing = true;
		step->in = used_empty;
		step->in2 = used_null;
		if (!step->place)
			return -ENOMEM;
	}
	return 0;
}

static void add_readonly(struct plan *plan, uint16_t slot, const char *place,
			 const char *text)
{
	struct step *step = plan_add(plan, STEP_SETATTR);

	step->place = place;
	step->text = text;
	step->in = slot;
	step->attr.attr_set = MOUNT_ATTR_RDONLY;
}

/* Make mounts read-only that had to stay writable until they were filled. */
static void add_late_readonly(struct plan *plan, size_t nsteps)
{
	for (size_t i = 0; i < nsteps; i++) {
		const struct step step = plan->steps[i];

		if (step.op == STEP_MOVE_MOUNT &&
		    step.flags & MOVE_LATE_READONLY)
			add_readonly(plan, step.in, step.place, step.text);
	}
}

/*
 * Skip a missing path here; the code that opens it for the rules reports it,
 * unless it is optional.
 */
static void add_own_mounts(const struct make_input *in, struct plan *plan)
{
	const struct strings *paths = &in->enforcement->writable;

	for (size_t i = 0; i < paths->n; i++) {
		struct step *step = plan_add(plan, STEP_OWN_MOUNT);

		step->place = "filesystem.write";
		step->text = paths->items[i];
		step->skip_missing = true;
	}
}

/*
 * make_mounts has applied private and slave everywhere but to the root. Shared
 * and unbindable reach every mount, so repeat the propagation that the options
 * of a mount name.
 */
static void add_propagation(const struct make_input *in, struct plan *plan,
			    size_t nsteps)
{
	unsigned long flags = in->spec->linux_.rootfs_propagation;
	struct step *step;

	if (!flags)
		return;
	if (flags & (MS_PRIVATE | MS_SLAVE))
		flags &= ~(unsigned long)MS_REC;
	step = plan_add(plan, STEP_PROPAGATION);
	step->place = "linux.rootfsPropagation";
	step->flags = (uint32_t)flags;
	if (!mounts_keep_propagation(in))
		return;
	for (size_t i = 0; i < nsteps; i++) {
		struct step own = plan->steps[i];

		if (own.op != STEP_SETATTR || !own.attr.propagation)
			continue;
		/* A copied link is not a mount. */
		own.skip_missing = true;
		*plan_add(plan, STEP_SETATTR) = own;
	}
}

static void add_cwd(const struct make_input *in, struct plan *plan)
{
	struct step *step;

	if (!in->process || !is_set(in->process->cwd) ||
	    streq(in->process->cwd, "/"))
		return;
	step = plan_add(plan, STEP_MAKE_CWD);
	step->place = "process.cwd";
	step->text = in->process->cwd;
}

int make_root(const struct make_input *in, struct plan *plan)
{
	const struct oci_linux *l = &in->spec->linux_;
	struct mount_job masks = {
		.in = in,
		.plan = plan,
		.place = "linux.maskedPaths",
	};
	size_t mounted = plan->nsteps;
	int r;

	if (!make_has_mountns(in)) {
		add_cwd(in, plan);
		plan_add(plan, STEP_CHROOT);
		return add_sysctls(in, plan);
	}
	if (l->masked_paths.n && (r = add_mask_sources(&masks)) < 0)
		return r;
	if ((r = add_switch(in, plan)) < 0 || (r = add_sysctls(in, plan)) < 0 ||
	    (r = add_paths(in, plan, STEP_READONLY_PATH, "readonlyPaths",
			   &l->readonly_paths)) < 0 ||
	    (r = add_paths(in, plan, STEP_MASK, "maskedPaths",
			   &l->masked_paths)) < 0)
		return r;
	add_cwd(in, plan);
	if (in->enforcement)
		add_own_mounts(in, plan);
	if (in->spec->root_readonly)
		add_readonly(plan, SLOT_ROOT, "root.readonly", "/");
	add_late_readonly(plan, mounted);
	add_propagation(in, plan, mounted);
	return 0;
}
