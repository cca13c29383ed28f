/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/mounts.c - plan the root file system and everything mounted on
 * it, up to the point where hooks run.
 */
#include <errno.h>
#include <string.h>
#include <sys/mount.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"
#include "runtime/enforce/view.h"
#include "runtime/plan/mounts.h"

/* mount(2) takes a page of parameters. */
#define MAX_DATA 4096

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (streq(word, *list))
			return true;
	return false;
}

/* For these "ro" applies to the mount only, as superblocks are shared. */
static bool is_pseudo(const char *type)
{
	static const char *const types[] = { "proc",	"sysfs",  "cgroup",
					     "cgroup2", "mqueue", "devpts",
					     "tmpfs",	NULL };

	return is_one_of(type, types);
}

static bool takes_label(const char *type)
{
	static const char *const without[] = { "proc",	 "sysfs",   "mqueue",
					       "cgroup", "cgroup2", NULL };

	return !is_one_of(type, without);
}

static bool has_param(const struct mount_options *o, const char *key)
{
	for (size_t i = 0; i < o->nparams; i++)
		if (streq(o->params[i].key, key))
			return true;
	return false;
}

/* The kernel refuses an owner that has no mapping in the user namespace. */
static bool is_unmapped_gid(const struct make_input *in, const char *text)
{
	const struct oci_id_maps *maps = &in->spec->linux_.gid_mappings;
	uint32_t gid;

	if (!make_has_userns(in) || maps->n == 0 || !text ||
	    num_id(text, &gid) < 0)
		return false;
	for (size_t i = 0; i < maps->n; i++)
		if (gid >= maps->items[i].container_id &&
		    gid - maps->items[i].container_id < maps->items[i].size)
			return false;
	return true;
}

static void add_params(const struct mount_job *job, struct step_fs *fs)
{
	const struct mount_options *o = &job->options;
	const char *label = job->in->spec->linux_.mount_label;

	for (size_t i = 0; i < o->nparams; i++) {
		const struct oci_annotation *p = &o->params[i];

		if (streq(fs->type, "devpts") && streq(p->key, "gid") &&
		    is_unmapped_gid(job->in, p->value))
			continue;
		mounts_add_param(job->plan, fs, p->key, p->value);
	}
	if (is_set(label) && takes_label(fs->type))
		mounts_add_param(job->plan, fs, "context", label);
	if (o->readonly && !is_pseudo(fs->type))
		mounts_add_param(job->plan, fs, "ro", NULL);
}

/*
 * True if the kernel may deny a new sysfs. Root of the host can always make
 * one, and must not get the host's instead.
 */
static bool may_lack_sysfs(const struct make_input *in)
{
	const struct oci_namespace *net =
		&in->spec->linux_.namespaces[OCI_NS_NETWORK];
	bool own_net = net->listed && !net->path;

	return (make_has_userns(in) && !own_net) || in->facts->rootless ||
	       in->facts->in_userns ||
	       in->spec->linux_.namespaces[OCI_NS_USER].path;
}

/*
 * The root of a user namespace may not make a sysfs without a network namespace
 * of its own; show the host's instead.
 */
static void add_sysfs_fallback(const struct mount_job *job, uint32_t fsmount)
{
	const struct mount_options *o = &job->options;
	struct plan *plan = job->plan;
	uint32_t made = plan_here(plan) - 1;

	mounts_on_denied_here(plan, fsmount);
	mounts_add_clone(job, "/sys", AT_RECURSIVE, SLOT_TREE);
	if (o->attr_set || o->attr_clr) {
		struct step *step = mounts_add(job, STEP_SETATTR);

		step->in = SLOT_TREE;
		step->flags = AT_RECURSIVE;
		step->attr.attr_set = o->attr_set;
		step->attr.attr_clr =
			o->attr_set & MOUNT_ATTR__ATIME ? MOUNT_ATTR__ATIME : 0;
	}
	mounts_next_here(plan, made);
}

/* Return parameters as mount(2) takes them; NULL if it might misread one. */
static const char *as_data(struct arena *arena, const struct step_fs *fs)
{
	const char *data = "";

	for (size_t i = 0; data && i < fs->nparams; i++) {
		const struct oci_annotation *p = &fs->params[i];

		if (p->value && strpbrk(p->value, ",\"\\"))
			return NULL;
		data = arena_printf(arena, "%s%s%s%s%s", data, i ? "," : "",
				    p->key, p->value ? "=" : "",
				    p->value ? p->value : "");
	}
	return data && strlen(data) < MAX_DATA ? data : NULL;
}

/*
 * In the new tmpfs on /dev one call can make a mount, with the same result as
 * the steps that follow. If it fails, these find the reason. Return whether
 * this step was added.
 */
static bool add_fresh(const struct mount_job *job, uint16_t dev)
{
	const struct mount_options *o = &job->options;
	struct plan *plan = job->plan;
	struct step_fs *fs = arena_alloc(plan->arena, sizeof *fs);
	struct step *step;

	if (dev == SLOT_NONE || !fs || o->rec_set || o->rec_clr ||
	    o->npropagation || o->readonly)
		return false;
	fs->type = job->mount->type;
	fs->source = is_set(job->mount->source) ? job->mount->source : NULL;
	fs->attrs = o->attr_set;
	add_params(job, fs);
	fs->data = as_data(plan->arena, fs);
	if (!fs->data)
		return false;
	fs->nparams = 0;
	step = mounts_add(job, STEP_FRESH_MOUNT);
	step->text = job->mount->destination;
	step->flags = FRESH_TRY;
	step->fs = fs;
	step->in = dev;
	mounts_on_denied_here(plan, plan_here(plan) - 1);
	return true;
}

static int make_fs_mount(const struct mount_job *given)
{
	struct mount_job copy = *given, *job = &copy;
	const struct oci_mount *m = job->mount;
	bool is_sysfs = streq(m->type, "sysfs");
	bool is_plain = is_sysfs || streq(m->type, "proc");
	bool is_tmpfs = streq(m->type, "tmpfs");
	bool late = mounts_is_late_readonly(job);
	uint16_t tree = mounts_tree_slot(job), dev = SLOT_NONE;
	uint32_t first = plan_here(job->plan), fsmount;
	struct step_fs *fs;
	bool fresh;

	if (job->options.tmpcopyup && !is_tmpfs)
		return fail(0,
			    "%s.options: tmpcopyup is only supported for tmpfs",
			    job->place);
	if (late)
		mounts_drop_readonly(&job->options);
	if (!is_plain && !job->options.dest_nofollow && !job->options.tmpcopyup)
		dev = mounts_fresh_dev(job->plan, m->destination);
	fresh = !late && add_fresh(job, dev);
	mounts_add_point(job, m->destination,
			 (is_plain ? POINT_PLAIN : 0) |
				 (job->options.dest_nofollow ? POINT_NOFOLLOW :
							       0) |
				 (dev != SLOT_NONE ? POINT_FRESH :
						     mounts_new_root(job)),
			 dev);
	if (is_plain)
		job->plan->steps[job->plan->nsteps - 1].text2 = m->type;
	fsmount = plan_here(job->plan);
	fs = mounts_add_fsmount(job, m->type, tree);
	if (!fs)
		return -ENOMEM;
	fs->source = m->source;
	fs->mode_of_point = is_tmpfs && !has_param(&job->options, "mode");
	add_params(job, fs);
	if (is_sysfs && may_lack_sysfs(job->in))
		add_sysfs_fallback(job, fsmount);
	if (job->options.tmpcopyup) {
		struct step *step = mounts_add(job, STEP_COPY_UP);

		step->in = tree;
		step->in2 = SLOT_POINT;
		step->text = m->destination;
	}
	mounts_add_changes(job, tree);
	mounts_add_move(job, tree, m->destination)->flags |=
		(late ? MOVE_LATE_READONLY : 0) |
		(mounts_is_new_dev(job) ? MOVE_NEW_DEV : 0) |
		(streq(m->type, "proc") ? MOVE_PROC : 0);
	if (fresh)
		mounts_next_here(job->plan, first);
	return 0;
}

/* Change options and flags of the mount at this place. */
static int make_remount(const struct mount_job *job)
{
	const struct mount_options *o = &job->options;
	uint16_t tree = mounts_tree_slot(job);
	struct step_fs *fs;

	mounts_add_point(job, job->mount->destination, 0, SLOT_NONE)->out =
		tree;
	if (o->nparams) {
		fs = mounts_add_reconfigure(job, tree);
		if (!fs)
			return -ENOMEM;
		for (size_t i = 0; i < o->nparams; i++)
			mounts_add_param(job->plan, fs, o->params[i].key,
					 o->params[i].value);
	}
	mounts_add_attrs(job, tree);
	mounts_add_changes(job, tree);
	return 0;
}

static int check_destination(const struct mount_job *job)
{
	const struct oci_mount *m = job->mount;
	const char *d = m->destination;

	if (streq(d, "/"))
		return fail(0,
			    "%s.destination: cannot mount over /, which "
			    "root.path provides: remove this mount",
			    job->place);
	if (starts_with(d, "/proc/") && !mounts_may_cover(d))
		return fail(0,
			    "%s.destination: \"%s\" cannot be mounted because "
			    "it is inside /proc",
			    job->place, d);
	if (streq(d, "/proc") && !job->options.remount &&
	    !oci_mount_is_bind(m) && !(m->type && streq(m->type, "proc")))
		return fail(0,
			    "%s.destination: \"%s\" cannot be mounted because "
			    "it is not of type proc",
			    job->place, d);
	return 0;
}

/*
 * True for a mount that shows a cgroup, one whose files count for the limits,
 * and one whose source the parent opens in turn.
 */
static bool needs_cgroups(const struct mount_job *job)
{
	const struct cgroup_layout *layout = &job->in->facts->cgroups;
	const struct oci_mount *m = job->mount;

	if (!oci_mount_is_bind(m))
		return job->options.tmpcopyup ||
		       (m->type && starts_with(m->type, "cgroup"));
	if (job->options.idmap || job->options.ridmap || m->has_mappings)
		return true;
	for (size_t i = 0; m->source && i < layout->n; i++)
		if (starts_with(m->source, layout->items[i].mount))
			return true;
	return false;
}

static int make_mount(const struct mount_job *job)
{
	const struct oci_mount *m = job->mount;
	int r = check_destination(job);

	if (r == 0 && needs_cgroups(job))
		r = make_late_join(job->in, job->plan);
	if (r < 0)
		return r;
	if (job->options.remount)
		return make_remount(job);
	if (oci_mount_is_bind(m))
		return make_bind_mount(job);
	if (job->options.idmap || job->options.ridmap || m->has_mappings)
		return fail(0, "%s: only a bind mount can be idmapped",
			    job->place);
	if (!is_set(m->type))
		return fail(0,
			    "%s.type: required, unless the mount is a bind "
			    "mount",
			    job->place);
	if (streq(m->type, "cgroup"))
		return make_cgroup_mount(job);
	return make_fs_mount(job);
}

static int make_listed_mounts(const struct make_input *in, struct plan *plan)
{
	const struct oci_spec *spec = in->spec;

	for (size_t i = 0; i < spec->nmounts; i++) {
		struct mount_job job = {
			.in = in,
			.plan = plan,
			.mount = &spec->mounts[i],
			.place = arena_printf(in->arena, "mounts[%zu]", i),
		};
		int r;

		if (!job.place)
			return -ENOMEM;
		r = mount_options_parse(in->arena, &job.mount->options,
					&job.options);
		if (r < 0)
			return fail_at(r, "%s.", job.place);
		r = make_mount(&job);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Root of a user namespace cannot open it, so let the parent do that. */
static uint16_t add_notify_tree(const struct mount_job *job)
{
	const struct make_input *in = job->in;
	struct plan_source *source;

	if (!make_has_userns(in) || in->facts->rootless) {
		mounts_add_clone(job, in->settings.notify_socket, 0, SLOT_TREE);
		return SLOT_TREE;
	}
	source = plan_add_source(job->plan);
	if (!source)
		return SLOT_NONE;
	source->slot = plan_slot(job->plan);
	source->path = in->settings.notify_socket;
	source->place = job->place;
	return source->slot;
}

/*
 * Mount the directory of the notification socket. It is read-only, because it
 * belongs to the container's record, and the runtime binds the socket there by
 * name.
 */
static void make_notify_mount(const struct make_input *in, struct plan *plan)
{
	static const struct oci_mount none = { .destination = NOTIFY_INSIDE };
	struct mount_job job = {
		.in = in,
		.plan = plan,
		.mount = &none,
		.place = "NOTIFY_SOCKET",
	};
	uint16_t tree = add_notify_tree(&job);
	struct step *step = mounts_add(&job, STEP_SETATTR);

	step->in = tree;
	step->attr.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
			      MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
	mounts_add_point(&job, none.destination, POINT_LIKE_SOURCE, tree);
	mounts_add_move(&job, tree, none.destination);
}

/* Refuse settings that need a mount namespace if the container has none. */
static int refuse_mounts(const struct make_input *in)
{
	static const char reason[] =
		"requires the container's own mount namespace";
	const struct oci_linux *l = &in->spec->linux_;

	if (in->spec->nmounts && !in->settings.mounts_present)
		return fail(0, "mounts[0]: %s", reason);
	if (in->spec->root_readonly)
		return fail(0, "root.readonly: %s", reason);
	if (l->ndevices)
		return fail(0, "linux.devices[0]: %s", reason);
	if (l->masked_paths.n)
		return fail(0, "linux.maskedPaths: %s", reason);
	if (l->readonly_paths.n)
		return fail(0, "linux.readonlyPaths: %s", reason);
	if (l->rootfs_propagation)
		return fail(0, "linux.rootfsPropagation: %s", reason);
	return 0;
}

/*
 * The propagation of all mounts that the namespace copied from the host. Shared
 * mounts stay shared if rootfsPropagation says so, because a bind may then
 * propagate its mounts to the host; STEP_ROOTFS makes the rootfs itself
 * private. A sandbox gets private mounts: a mount that the host makes later
 * would be neither read-only nor covered.
 */
static unsigned long initial_propagation(const struct make_input *in)
{
	const struct oci_linux *l = &in->spec->linux_;

	if (l->rootfs_propagation & MS_PRIVATE || in->settings.fresh_root)
		return MS_PRIVATE | MS_REC;
	if (l->rootfs_propagation & MS_SHARED)
		return MS_SHARED | MS_REC;
	return MS_SLAVE | MS_REC;
}

/* An empty map stands for the map of a joined namespace. */
static bool has_zero(const struct oci_id_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->items[i].container_id == 0)
			return true;
	return maps->n == 0;
}

/*
 * Do this only now: the path to the rootfs may contain directories that only
 * root of the host may search.
 */
static void become_root(const struct make_input *in, struct plan *plan)
{
	const struct oci_linux *l = &in->spec->linux_;

	/*
	 * The creator of the namespace has its capabilities without a mapping.
	 */
	if (make_has_userns(in) && has_zero(&l->uid_mappings) &&
	    has_zero(&l->gid_mappings))
		plan_add(plan, STEP_BECOME_ROOT)->flags =
			in->spec->keep_groups ? KEEP_GROUPS : 0;
}

static int add_fresh_root(const struct make_input *in, struct plan *plan)
{
	const struct oci_mount root = { .destination = in->settings.rootfs };
	const struct mount_job job = { .in = in, .plan = plan, .mount = &root };
	struct step_fs *fs = mounts_add_fsmount(&job, "tmpfs", SLOT_ROOT);
	struct step *step;

	if (!fs)
		return -ENOMEM;
	fs->attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	mounts_add_param(plan, fs, "mode", "755");
	step = plan_add(plan, STEP_ATTACH_ROOT);
	step->text = in->settings.rootfs;
	step->in = SLOT_ROOT;
	return 0;
}

static void add_rootfs(const struct make_input *in, struct plan *plan)
{
	struct step *step = plan_add(plan, STEP_ROOTFS);

	step->place = "root.path";
	step->text = in->settings.rootfs;
	step->flags = (uint32_t)initial_propagation(in);
	step->out = SLOT_ROOT;
}

/* Create them in the new root, before a mount can hide their paths. */
static void add_own_files(const struct make_input *in, struct plan *plan)
{
	for (size_t i = 0; i < in->settings.nown_files; i++) {
		const struct own_file *file = &in->settings.own_files[i];
		struct step *step = plan_add(plan, STEP_OWN_FILE);

		step->text = file->path;
		step->text2 = file->text;
		step->out = file->covers ? plan_slot(plan) : SLOT_NONE;
	}
}

/* Mount each file that a mount has hidden on top of that mount. */
static void add_covers(struct plan *plan, size_t first)
{
	size_t nsteps = plan->nsteps;

	for (size_t i = first; i < nsteps; i++) {
		const struct step own = plan->steps[i];
		struct step *step;

		if (own.op != STEP_OWN_FILE || own.out == SLOT_NONE)
			continue;
		step = plan_add(plan, STEP_COVER);
		step->text = own.text;
		step->in = own.out;
	}
}

int make_mounts(const struct make_input *in, struct plan *plan)
{
	const char *label = in->spec->linux_.mount_label;
	struct step *step;
	size_t own;
	int r;

	if (is_set(label) && !in->facts->selinux)
		return fail(0,
			    "linux.mountLabel: '%s' requested, but SELinux is "
			    "not enabled",
			    label);

	if (!make_has_mountns(in)) {
		step = plan_add(plan, STEP_ROOT_HERE);
		step->place = "root.path";
		step->text = in->settings.rootfs;
		step->out = SLOT_ROOT;
		become_root(in, plan);
		return refuse_mounts(in);
	}
	step = plan_add(plan, STEP_PROPAGATION);
	step->place = "linux.rootfsPropagation";
	step->flags = (uint32_t)initial_propagation(in);
	r = 0;
	if (in->settings.fresh_root)
		r = add_fresh_root(in, plan);
	else
		add_rootfs(in, plan);
	if (r < 0)
		return r;
	become_root(in, plan);
	own = plan->nsteps;
	add_own_files(in, plan);
	if ((r = make_listed_mounts(in, plan)) < 0 ||
	    (r = make_late_join(in, plan)) < 0 ||
	    (r = make_devices(in, plan)) < 0)
		return r;
	for (size_t i = 0; i < in->settings.nlinks; i++) {
		step = plan_add(plan, STEP_SYMLINK);
		step->text = in->settings.links[i].path;
		step->text2 = in->settings.links[i].target;
	}
	add_covers(plan, own);
	if (in->settings.notify_socket)
		make_notify_mount(in, plan);
	return 0;
}
