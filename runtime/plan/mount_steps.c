/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/mount_steps.c - plan the steps that every kind of mount needs.
 */
#include <string.h>
#include <sys/mount.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/files.h"
#include "runtime/plan/mounts.h"

char *mounts_tidy(struct arena *arena, const char *path)
{
	char *ret = arena_alloc(arena, strlen(path) + 2);
	size_t n = 0;

	if (!ret)
		return NULL;
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len > 0 && !(len == 1 && *path == '.')) {
			ret[n++] = '/';
			memcpy(ret + n, path, len);
			n += len;
		}
		path += len;
		path += strspn(path, "/");
	}
	if (n == 0)
		ret[n++] = '/';
	return ret;
}

bool mounts_host_id(const struct oci_id_maps *maps, uint32_t id, uint32_t size,
		    uint32_t *ret)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct oci_id_map *m = &maps->items[i];

		if (id >= m->container_id &&
		    (uint64_t)id + size <=
			    (uint64_t)m->container_id + m->size) {
			*ret = m->host_id + (id - m->container_id);
			return true;
		}
	}
	return false;
}

struct step *mounts_add(const struct mount_job *job, enum step_op op)
{
	struct step *step = plan_add(job->plan, op);

	step->place = job->place;
	step->text = job->mount ? job->mount->destination : NULL;
	return step;
}

void mounts_on_denied_here(struct plan *plan, uint32_t step)
{
	if (step < plan->nsteps)
		plan->steps[step].on_denied = plan_here(plan);
}

void mounts_next_here(struct plan *plan, uint32_t step)
{
	if (step < plan->nsteps)
		plan->steps[step].next = plan_here(plan);
}

struct step *mounts_add_point(const struct mount_job *job,
			      const char *destination, unsigned int flags,
			      uint16_t source)
{
	struct step *step = mounts_add(job, STEP_MOUNT_POINT);

	step->text = destination;
	step->flags = flags;
	step->in = source;
	step->out = SLOT_POINT;
	return step;
}

static struct step_fs *add_fs(const struct mount_job *job, struct step *step)
{
	struct step_fs *fs = arena_alloc(job->plan->arena, sizeof *fs);

	if (!fs) {
		job->plan->failed = true;
		return NULL;
	}
	step->fs = fs;
	step->in = SLOT_POINT;
	return fs;
}

struct step_fs *mounts_add_fsmount(const struct mount_job *job,
				   const char *type, uint16_t out)
{
	struct step *step = mounts_add(job, STEP_FSMOUNT);
	struct step_fs *fs = add_fs(job, step);

	if (!fs)
		return NULL;
	fs->type = type;
	fs->attrs = job->options.attr_set;
	step->out = out;
	return fs;
}

struct step_fs *mounts_add_reconfigure(const struct mount_job *job,
				       uint16_t tree)
{
	struct step *step = mounts_add(job, STEP_RECONFIGURE);
	struct step_fs *fs = add_fs(job, step);

	step->text = job->mount->destination;
	step->in = tree;
	return fs;
}

int mounts_add_param(struct plan *plan, struct step_fs *fs, const char *key,
		     const char *value)
{
	struct oci_annotation *params = arena_grow(plan->arena, fs->params,
						   fs->nparams, fs->nparams + 1,
						   sizeof *params);

	if (!params) {
		plan->failed = true;
		return -1;
	}
	params[fs->nparams].key = key;
	params[fs->nparams].value = value;
	fs->params = params;
	fs->nparams++;
	return 0;
}

void mounts_add_attrs(const struct mount_job *job, uint16_t tree)
{
	const struct mount_options *o = &job->options;
	struct step *step;

	if (!o->attr_set && !o->attr_clr)
		return;
	step = mounts_add(job, STEP_SETATTR);
	step->in = tree;
	step->attr.attr_set = o->attr_set;
	step->attr.attr_clr = o->attr_clr;
}

/*
 * The mounts below it are read-only from now on, the mount itself at the end.
 */
static void add_still_writable(const struct mount_job *job, uint16_t tree)
{
	uint32_t clear = plan_here(job->plan);
	struct step *step = mounts_add(job, STEP_SETATTR);

	step->in = tree;
	step->attr.attr_clr = MOUNT_ATTR_RDONLY;
	mounts_on_denied_here(job->plan, clear);
}

void mounts_add_changes(const struct mount_job *job, uint16_t tree)
{
	const struct mount_options *o = &job->options;
	struct step *step;

	if (o->rec_set || o->rec_clr) {
		step = mounts_add(job, STEP_SETATTR);
		step->in = tree;
		step->flags = AT_RECURSIVE;
		step->attr.attr_set = o->rec_set;
		step->attr.attr_clr = o->rec_clr;
		if (o->rec_set & MOUNT_ATTR_RDONLY &&
		    mounts_is_late_readonly(job))
			add_still_writable(job, tree);
	}
	for (size_t i = 0; i < o->npropagation; i++) {
		step = mounts_add(job, STEP_SETATTR);
		step->in = tree;
		step->flags = o->propagation[i] & MS_REC ? AT_RECURSIVE : 0;
		step->attr.propagation = o->propagation[i] & ~(uint64_t)MS_REC;
	}
}

struct step *mounts_add_move(const struct mount_job *job, uint16_t tree,
			     const char *destination)
{
	struct step *step = mounts_add(job, STEP_MOVE_MOUNT);

	step->in = tree;
	step->in2 = SLOT_POINT;
	step->text = destination;
	if (streq(destination, "/proc"))
		step->flags |= MOVE_PROC;
	return step;
}

struct step *mounts_add_clone(const struct mount_job *job, const char *path,
			      unsigned int flags, uint16_t out)
{
	struct step *step = mounts_add(job, STEP_CLONE_TREE);

	step->text = path;
	step->flags = flags;
	step->out = out;
	return step;
}

bool mounts_is_late_readonly(const struct mount_job *job)
{
	const struct oci_mount *m = job->mount;
	const struct mount_options *o = &job->options;
	bool readonly = ((o->attr_set & ~o->rec_clr) | o->rec_set) &
			MOUNT_ATTR_RDONLY;

	return readonly && !o->remount &&
	       (streq(m->destination, "/dev") ||
		(!oci_mount_is_bind(m) && m->type && streq(m->type, "tmpfs")));
}

bool mounts_is_new_dev(const struct mount_job *job)
{
	const struct oci_mount *m = job->mount;

	return streq(m->destination, "/dev") && !oci_mount_is_bind(m) &&
	       m->type && streq(m->type, "tmpfs");
}

/* Text alone cannot tell where ".." leads. */
static bool is_in_dev(const char *path)
{
	return starts_with(path, "/dev/") && !strstr(path, "/..");
}

uint16_t mounts_fresh_dev(const struct plan *plan, const char *destination)
{
	if (!is_in_dev(destination) ||
	    strrchr(destination, '/') != destination + strlen("/dev"))
		return SLOT_NONE;
	for (size_t i = plan->nsteps; i > 0; i--) {
		const struct step *step = &plan->steps[i - 1];

		if (step->op == STEP_COPY_SYMLINK)
			return SLOT_NONE;
		if (step->op != STEP_MOVE_MOUNT)
			continue;
		if (step->flags & MOVE_NEW_DEV)
			return step->in;
		if (!is_in_dev(step->text))
			return SLOT_NONE;
	}
	return SLOT_NONE;
}

/* Links are created after the last mount. */
unsigned int mounts_new_root(const struct mount_job *job)
{
	const char *path = job->mount->destination;

	if (!job->in->settings.fresh_root || job->options.dest_nofollow ||
	    job->options.tmpcopyup || strstr(path, "/.."))
		return 0;
	for (size_t i = 0; i < job->plan->nsteps; i++) {
		const struct step *step = &job->plan->steps[i];

		if (step->op == STEP_COPY_SYMLINK)
			return 0;
		if ((step->op == STEP_MOVE_MOUNT ||
		     step->op == STEP_FRESH_MOUNT) &&
		    files_is_at_or_below(path, step->text))
			return 0;
	}
	return POINT_NEW_ROOT;
}

void mounts_drop_readonly(struct mount_options *options)
{
	options->attr_set &= ~MOUNT_ATTR_RDONLY;
	options->readonly = false;
}

bool mounts_keep_propagation(const struct make_input *in)
{
	unsigned long flags = in->spec->linux_.rootfs_propagation;

	return flags & MS_REC && flags & (MS_SHARED | MS_UNBINDABLE);
}

uint16_t mounts_tree_slot(const struct mount_job *job)
{
	bool again = job->options.npropagation &&
		     mounts_keep_propagation(job->in);

	if (job->mount->type && streq(job->mount->type, "proc") &&
	    !oci_mount_is_bind(job->mount) && !job->options.remount &&
	    streq(job->mount->destination, "/proc"))
		return SLOT_NEW_PROC;
	return again || mounts_is_late_readonly(job) || mounts_is_new_dev(job) ?
		       plan_slot(job->plan) :
		       SLOT_TREE;
}
