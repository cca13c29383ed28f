/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/devices.c - plan the device nodes and the links in /dev. */
#include <errno.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/util.h"
#include "runtime/plan/mounts.h"

static const struct oci_device defaults[] = {
	{ S_IFCHR, "/dev/null", 1, 3, true, 0666, 0, 0 },
	{ S_IFCHR, "/dev/zero", 1, 5, true, 0666, 0, 0 },
	{ S_IFCHR, "/dev/full", 1, 7, true, 0666, 0, 0 },
	{ S_IFCHR, "/dev/random", 1, 8, true, 0666, 0, 0 },
	{ S_IFCHR, "/dev/urandom", 1, 9, true, 0666, 0, 0 },
	{ S_IFCHR, "/dev/tty", 5, 0, true, 0666, 0, 0 },
};

static const struct {
	const char *path;
	const char *target;
} links[] = {
	{ "/dev/fd", "/proc/self/fd" },
	{ "/dev/stdin", "/proc/self/fd/0" },
	{ "/dev/stdout", "/proc/self/fd/1" },
	{ "/dev/stderr", "/proc/self/fd/2" },
	{ "/dev/core", "/proc/kcore" },
	{ "/dev/ptmx", "pts/ptmx" },
};

size_t devices_default(const struct oci_device **ret)
{
	*ret = defaults;
	return COUNT(defaults);
}

static void fill_node(struct step *step, const struct oci_device *d)
{
	step->text = d->path;
	step->node.mode = d->type | d->mode;
	step->node.major = (uint32_t)d->major;
	step->node.minor = (uint32_t)d->minor;
	step->node.uid = d->uid;
	step->node.gid = d->gid;
}

/* Bind the host's node at the same path, if it is the same device. */
static void add_bound_node(const struct mount_job *job,
			   const struct oci_device *d)
{
	fill_node(mounts_add_clone(job, d->path, 0, SLOT_TREE), d);
	mounts_add_point(job, d->path, POINT_FILE, SLOT_NONE);
	mounts_add_move(job, SLOT_TREE, d->path);
}

/*
 * The parent creates the node outside the user namespace, from its numbers. An
 * owner without a mapping becomes the host's root.
 */
static void add_made_node(const struct mount_job *job,
			  const struct oci_device *d)
{
	const struct oci_linux *l = &job->in->spec->linux_;
	struct plan_source *source = plan_add_source(job->plan);
	struct oci_device *made = arena_alloc(job->in->arena, sizeof *made);

	if (!source || !made) {
		job->plan->failed = true;
		return;
	}
	*made = *d;
	made->uid = made->gid = 0;
	(void)mounts_host_id(&l->uid_mappings, d->uid, 1, &made->uid);
	(void)mounts_host_id(&l->gid_mappings, d->gid, 1, &made->gid);
	source->slot = plan_slot(job->plan);
	source->path = d->path;
	source->place = job->place;
	source->device = made;
	source->locked = true;
	mounts_add_point(job, d->path, POINT_FILE, SLOT_NONE);
	mounts_add_move(job, source->slot, d->path);
}

static void add_device(const struct mount_job *job, const struct oci_device *d,
		       uint32_t flags)
{
	bool in_userns = make_has_userns(job->in) || job->in->facts->in_userns;
	uint32_t mknod = plan_here(job->plan);
	struct step *step;

	/*
	 * A process in a user namespace may not make devices, but may make
	 * FIFOs.
	 */
	if (in_userns && d->type != S_IFIFO) {
		if (!(flags & NODE_KEEP) && !job->in->facts->rootless) {
			add_made_node(job, d);
			return;
		}
		add_bound_node(job, d);
		return;
	}
	step = mounts_add(job, STEP_MKNOD);
	step->flags = flags;
	fill_node(step, d);
	if (d->type == S_IFIFO)
		return;
	mounts_on_denied_here(job->plan, mknod);
	add_bound_node(job, d);
	mounts_next_here(job->plan, mknod);
}

static bool is_listed(const struct oci_linux *l, const char *path)
{
	for (size_t i = 0; i < l->ndevices; i++)
		if (streq(l->devices[i].path, path))
			return true;
	return false;
}

/* The nodes of a bind-mounted /dev do not belong to the container. */
static bool dev_is_bound(const struct oci_spec *spec)
{
	for (size_t i = 0; i < spec->nmounts; i++)
		if (streq(spec->mounts[i].destination, "/dev") &&
		    oci_mount_is_bind(&spec->mounts[i]))
			return true;
	return false;
}

/* The host's node cannot open the container's terminals; the link can. */
static bool is_ptmx(const struct oci_device *d)
{
	return d->type == S_IFCHR && d->major == 5 && d->minor == 2 &&
	       streq(d->path, "/dev/ptmx");
}

static int add_listed(struct mount_job *job, bool bound)
{
	const struct oci_linux *l = &job->in->spec->linux_;

	for (size_t i = 0; i < l->ndevices; i++) {
		if (is_ptmx(&l->devices[i]) ||
		    (bound && starts_with(l->devices[i].path, "/dev/")))
			continue;
		job->place =
			arena_printf(job->in->arena, "linux.devices[%zu]", i);
		if (!job->place)
			return -ENOMEM;
		add_device(job, &l->devices[i], 0);
	}
	return 0;
}

int make_devices(const struct make_input *in, struct plan *plan)
{
	struct mount_job job = { .in = in, .plan = plan };
	bool bound = dev_is_bound(in->spec);
	int r = add_listed(&job, bound);

	if (r < 0 || bound)
		return r;
	job.place = NULL;
	for (size_t i = 0; i < COUNT(defaults); i++)
		if (!is_listed(&in->spec->linux_, defaults[i].path))
			add_device(&job, &defaults[i], NODE_KEEP);
	for (size_t i = 0; i < COUNT(links); i++) {
		struct step *step = plan_add(plan, STEP_SYMLINK);

		step->text = links[i].path;
		step->text2 = links[i].target;
	}
	return 0;
}
