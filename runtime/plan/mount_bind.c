/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/mount_bind.c - plan the mounts that show a tree of the host. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"
#include "runtime/plan/mounts.h"

/* Flags that a bind with any option clears unless named; atime is kept. */
#define BIND_ATTRS                                                  \
	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | \
	 MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSYMFOLLOW)

/* The source of a bind: below the rootfs, or anywhere on the host. */
struct origin {
	const char *path;
	bool in_rootfs;
};

static bool has_dotdot(const char *path)
{
	for (const char *p = path; (p = strstr(p, "/..")); p++)
		if (p[3] == '/' || p[3] == '\0')
			return true;
	return false;
}

static int find_origin(const struct mount_job *job, struct origin *ret)
{
	const struct make_input *in = job->in;
	const char *source = job->mount->source;
	size_t n = strlen(in->settings.rootfs);
	char *path;

	if (!is_set(source))
		return fail(0, "%s.source: required for a bind mount",
			    job->place);
	path = source[0] == '/' ? mounts_tidy(in->arena, source) :
				  arena_printf(in->arena, "%s/%s",
					       in->settings.bundle, source);
	if (path && source[0] != '/')
		path = mounts_tidy(in->arena, path);
	if (!path)
		return -ENOMEM;
	ret->path = path;
	ret->in_rootfs =
		!in->settings.fresh_root && !streq(in->settings.rootfs, "/") &&
		!has_dotdot(path) && starts_with(path, in->settings.rootfs) &&
		(path[n] == '/' || path[n] == '\0');
	if (ret->in_rootfs)
		ret->path = path[n] ? path + n : "/";
	return 0;
}

/*
 * Parse "[@]container-host-size"; with @ the host id is an id inside the
 * container.
 */
static int parse_map(char *text, const struct oci_id_maps *own,
		     struct oci_id_map *ret)
{
	bool relative = *text == '@';
	char *rest = text + relative;
	const char *container = strsep(&rest, "-");
	const char *host = strsep(&rest, "-");

	if (!host || !rest || num_u32(container, &ret->container_id) < 0 ||
	    num_u32(host, &ret->host_id) < 0 || num_u32(rest, &ret->size) < 0 ||
	    ret->size == 0)
		return fail(0, "must be id mappings of the form "
			       "container-host-size, separated by #");
	if (relative &&
	    !mounts_host_id(own, ret->host_id, ret->size, &ret->host_id))
		return fail(0, "id %u is not in the container's id mapping",
			    ret->host_id);
	return 0;
}

static int parse_maps(struct arena *arena, const char *text,
		      const struct oci_id_maps *own, struct oci_id_maps *ret)
{
	char *rest = arena_strdup(arena, text), *part;
	struct oci_id_map *items;
	size_t n = 1;

	for (const char *p = text; *p; p++)
		n += *p == '#';
	items = arena_array(arena, n, sizeof *items);
	if (!rest || !items)
		return -ENOMEM;
	for (n = 0; (part = strsep(&rest, "#")); n++) {
		int r = parse_map(part, own, &items[n]);

		if (r < 0)
			return fail_in(r, "\"%s\"", text);
	}
	ret->items = items;
	ret->n = n;
	return 0;
}

static bool wants_idmap(const struct mount_job *job)
{
	return job->options.idmap || job->options.ridmap ||
	       job->mount->has_mappings;
}

static int choose_mapping(const struct mount_job *job,
			  struct plan_source *source)
{
	const struct make_input *in = job->in;
	const struct oci_linux *l = &in->spec->linux_;
	const struct mount_options *o = &job->options;
	const struct oci_mount *m = job->mount;
	int r;

	source->idmap = true;
	source->idmap_recursive = o->ridmap;
	if (in->facts->rootless)
		return fail(EPERM, "%s: an idmapped mount requires root",
			    job->place);
	if (o->idmap_uids) {
		r = parse_maps(in->arena, o->idmap_uids, &l->uid_mappings,
			       &source->uid_mappings);
		if (r == 0)
			r = parse_maps(in->arena, o->idmap_gids,
				       &l->gid_mappings, &source->gid_mappings);
		return r < 0 ? fail_in(r, "%s.options", job->place) : 0;
	}
	if (m->uid_mappings.n > 0 && m->gid_mappings.n > 0) {
		source->uid_mappings = m->uid_mappings;
		source->gid_mappings = m->gid_mappings;
		return 0;
	}
	if (m->uid_mappings.n > 0 || m->gid_mappings.n > 0)
		return fail(0,
			    "%s.%s: required, because the mount maps the other "
			    "kind of ids",
			    job->place,
			    m->uid_mappings.n ? "gidMappings" : "uidMappings");
	if (!make_has_userns(in))
		return fail(
			0,
			"%s: idmap requires uidMappings and gidMappings of the "
			"mount, or a user namespace",
			job->place);
	source->late = true;
	return 0;
}

/*
 * The parent opens sources that the container's root may be unable to reach,
 * and those to be idmapped; the child opens the rest. A source in the rootfs is
 * opened in mount order, because it may be an earlier mount.
 */
static int add_source(const struct mount_job *job, const struct origin *from,
		      uint16_t *ret_slot)
{
	const struct make_input *in = job->in;
	const struct mount_options *o = &job->options;
	unsigned int flags = (o->rbind ? AT_RECURSIVE : 0) |
			     (o->src_nofollow ? AT_SYMLINK_NOFOLLOW : 0) |
			     (in->settings.fresh_root ? CLONE_PLAIN : 0);
	bool by_parent = wants_idmap(job) ||
			 (make_has_userns(in) && !in->facts->rootless &&
			  !from->in_rootfs);
	struct plan_source *source;

	if (!by_parent) {
		uint16_t tree = mounts_tree_slot(job);

		mounts_add_clone(job, from->path, flags, tree)->in =
			from->in_rootfs ? SLOT_ROOT : SLOT_NONE;
		*ret_slot = tree;
		return 0;
	}
	source = plan_add_source(job->plan);
	if (!source)
		return -ENOMEM;
	source->slot = *ret_slot = plan_slot(job->plan);
	source->path = from->path;
	source->root = from->in_rootfs ? in->settings.rootfs : NULL;
	source->place = job->place;
	source->recursive = o->rbind;
	source->locked = make_has_userns(in);
	source->nofollow = o->src_nofollow || o->copy_symlink;
	source->plain = in->settings.fresh_root;
	source->asked = true;
	source->in_turn = from->in_rootfs;
	source->cut_off = in->settings.fresh_root ||
			  in->spec->linux_.rootfs_propagation & MS_PRIVATE;
	mounts_add(job, STEP_SOURCE)->out = source->slot;
	return wants_idmap(job) ? choose_mapping(job, source) : 0;
}

/*
 * If the options name no flag, the mount keeps the source's. Otherwise the
 * first step clears all that they do not name; if a user namespace has locked
 * some, the second step keeps those. nosymfollow is never locked.
 */
static void add_bind_attrs(const struct mount_job *job, uint16_t tree)
{
	const struct mount_options *o = &job->options;
	unsigned int reset = BIND_ATTRS & ~(o->attr_set | o->attr_clr);
	uint32_t first = plan_here(job->plan);
	struct step *step;

	if (!o->attr_set && !o->attr_clr)
		return;
	step = mounts_add(job, STEP_SETATTR);
	step->in = tree;
	step->attr.attr_set = o->attr_set;
	step->attr.attr_clr = o->attr_clr | reset;
	mounts_on_denied_here(job->plan, first);
	step = mounts_add(job, STEP_SETATTR);
	step->in = tree;
	step->attr.attr_set = o->attr_set;
	step->attr.attr_clr = o->attr_clr | (reset & MOUNT_ATTR_NOSYMFOLLOW);
	mounts_next_here(job->plan, first);
}

static int check_words(const struct mount_job *job)
{
	const struct strings *words = &job->mount->options;

	for (size_t i = 0; i < words->n; i++)
		if (!mount_option_known(words->items[i]))
			return fail(0,
				    "%s.options[%zu]: unknown option \"%s\" "
				    "for a bind mount",
				    job->place, i, words->items[i]);
	if (job->options.tmpcopyup)
		return fail(0,
			    "%s.options: tmpcopyup is only supported for tmpfs",
			    job->place);
	return 0;
}

int make_bind_mount(const struct mount_job *given)
{
	struct mount_job copy = *given, *job = &copy;
	struct plan *plan = job->plan;
	unsigned int flags = mounts_new_root(given);
	uint32_t link = plan_here(plan);
	bool late = mounts_is_late_readonly(job);
	struct origin from = { 0 };
	uint16_t tree;
	int r;

	if ((r = check_words(job)) < 0 || (r = find_origin(job, &from)) < 0)
		return r;
	if (job->options.copy_symlink) {
		struct step *step = mounts_add(job, STEP_COPY_SYMLINK);

		step->text = job->mount->destination;
		step->text2 = from.path;
		step->in = from.in_rootfs ? SLOT_ROOT : SLOT_NONE;
		mounts_on_denied_here(plan, link);
	}
	r = add_source(job, &from, &tree);
	if (r < 0)
		return r;
	if (late)
		mounts_drop_readonly(&job->options);
	add_bind_attrs(job, tree);
	mounts_add_changes(job, tree);
	if (!job->mount->is_directory)
		flags |= POINT_LIKE_SOURCE;
	if (job->options.dest_nofollow)
		flags |= POINT_NOFOLLOW;
	mounts_add_point(job, job->mount->destination, flags, tree);
	mounts_add_move(job, tree, job->mount->destination)->flags |=
		late ? MOVE_LATE_READONLY : 0;
	if (job->options.copy_symlink)
		mounts_next_here(plan, link);
	return 0;
}
