/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/cover.c - cover denied paths with mounts, and verify it. */
#include "runtime/enforce/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/covered.h"
#include "confine/masks.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/placeholders.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/view.h"

#define PLACE_MEMORY (256UL << 10)

/* True for files of the kernel's file systems, which no process can replace. */
static bool is_of_kernel(int root, const struct files_carve *carve)
{
	autoclose int fd = root_open_plain(root, carve->path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;

	return fd >= 0 && fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC);
}

/* Return 1 to warn about the carve: nobody will cover it again. */
static int check_replaceable(const struct enforce_files *files,
			     const struct files_carve *carve,
			     uint32_t *ret_missing)
{
	const struct policy *policy = &files->enforcement->policy;

	if ((!carve->rights && !carve->on_way) || !carve->above ||
	    is_of_kernel(files->root, carve) ||
	    policy_disables(policy, PROTECT_DENY_REPLACE))
		return 0;
	if (policy_is_strict(policy, PROTECT_DENY_REPLACE))
		return fail(
			0,
			"%s '%s' lies below %s '%s', which is writable: a file "
			"put under its name from outside is denied only after "
			"a moment; remove deny_replace from config.strict to "
			"accept this",
			carve->denied->key, carve->denied->item,
			carve->above->key, carve->above->item);
	if (files->covered)
		return 0;
	if (!policy_may_lack(policy, PROTECT_DENY_REPLACE))
		return 1;
	*ret_missing |= 1U << PROTECT_DENY_REPLACE;
	return 0;
}

/* Called once, however many names are denied. */
static void tell_replaceable(const struct files_carve *carve)
{
	log_warning("%s '%s': a file that a process outside the container puts "
		    "under this name is not denied: list deny_replace in "
		    "config.allow_degraded to accept this, or in "
		    "config.strict to refuse it",
		    carve->denied->key, carve->denied->item);
}

int enforce_check_covers(const struct enforce_files *files,
			 const struct files_carves *carves,
			 uint32_t *ret_missing)
{
	const uint32_t bit = 1U << PROTECT_NAMESPACES;
	const struct policy *policy = &files->enforcement->policy;
	const struct policy_kept *kept = files->enforcement->kept.items;
	size_t nkept = files->enforcement->kept.n;
	const struct strings *hidden = &files->enforcement->hidden;
	int r = 0;

	if ((carves->n || nkept || hidden->n) && files->mntns < 0) {
		*ret_missing |= bit & ~policy->disable;
		if ((policy->allow_degraded | policy->disable) & bit)
			return 0;
		if (!carves->n && hidden->n)
			return fail(0,
				    "state directory %s is writable inside the "
				    "sandbox: hiding it requires a mount "
				    "namespace, another --root, or namespaces "
				    "in config.allow_degraded",
				    hidden->items[0]);
		if (!carves->n)
			return fail(0,
				    "policy file %s is writable inside the "
				    "sandbox: protecting it requires a mount "
				    "namespace, or namespaces in "
				    "config.allow_degraded",
				    kept->host);
		return fail(0,
			    "%s '%s' requires a mount namespace, or namespaces "
			    "in config.allow_degraded",
			    carves->items[0].denied->key,
			    carves->items[0].denied->item);
	}
	for (size_t i = 0; r == 0 && i < carves->n; i++) {
		r = check_replaceable(files, &carves->items[i], ret_missing);
		if (r > 0)
			tell_replaceable(&carves->items[i]);
	}
	return r < 0 ? r : 0;
}

static int carve_one(struct masks *masks, const struct mountinfo *table,
		     const struct files_carve *carve)
{
	int r;

	if (carve->unmade)
		return 0;
	r = masks_check(table, masks->root, carve->path);
	/* Keep the link itself; its target is covered by another carve. */
	if (r == 0 && carve->link)
		r = masks_narrow(masks->root, carve->path, true, false);
	else if (r == 0 && carve->absent)
		r = masks_leave_out(masks, carve->path);
	else if (r == 0)
		r = carve->rights & LANDLOCK_MAY_READ ?
			    masks_cover(masks, carve->path) :
			    masks_narrow(masks->root, carve->path,
					 carve->rights & LANDLOCK_MAY_WRITE,
					 carve->rights & LANDLOCK_MAY_EXECUTE);
	return r < 0 ? fail_in(r, "%s '%s'", carve->denied->key,
			       carve->denied->item) :
		       0;
}

/* True for a mount point, which cannot be renamed. */
static bool is_pinned(int root, const char *dir)
{
	autoclose int fd =
		root_open_plain(root, dir, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statx st;

	return fd >= 0 &&
	       statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* Pin every directory of the path, so that none can be renamed and replaced. */
static int pin_way(const struct enforce_files *files, const char *path)
{
	int r = 0;

	for (const char *p = strchr(path + 1, '/'); r == 0 && p;
	     p = strchr(p + 1, '/')) {
		const char *dir = arena_printf(files->arena, "%.*s",
					       (int)(p - path), path);

		if (!dir)
			return -ENOMEM;
		if (!is_pinned(files->root, dir))
			r = masks_narrow(files->root, dir, false, false);
	}
	return r;
}

/* Make the directory if it is missing: otherwise a process could forge it. */
static int hide_state(const struct enforce_files *files, struct masks *masks,
		      const char *path)
{
	autoclose int fd = root_make_dir(files->root, path, 0700, NULL);
	int r = 0;

	/* A process inside cannot make it either. */
	if (fd < 0 && (errno == EROFS || errno == EACCES))
		return 0;
	if (fd < 0)
		return fail(errno,
			    "create %s in the sandbox, to hide the state "
			    "directory",
			    path);
	if (view_may_write(files->enforcement->view, path))
		r = pin_way(files, path);
	if (r == 0)
		r = masks_cover(masks, path);
	return r < 0 ? fail_in(r, "hide the state directory %s", path) : 0;
}

/* ---- names to cover again ---- */

/* Make a placeholder for a name that was removed. */
static int place_again(void *ctx, const struct covered_name *name)
{
	struct placeholders places = *(const struct placeholders *)ctx;
	struct files_carve carve = *(const struct files_carve *)name->user;
	const struct files_carves one = { &carve, 1 };
	AUTO(arena_close) struct arena arena = { 0 };
	int r = arena_open(&arena, PLACE_MEMORY);

	places.arena = &arena;
	carve.missing = true;
	carve.link = false;
	carve.leaf = !name->directory;
	if (r == 0)
		r = placeholders_make(&places, &one);
	return r < 0 ? r : carve.unmade;
}

/* ---- copies that stay ---- */

static int read_target(const struct enforce_files *files, const char *path,
		       const char **ret)
{
	autoclose int fd = root_open_plain(files->root, path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char target[PATH_MAX];
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", target, sizeof target);

	if (n < 0 || n == sizeof target)
		return fail(n < 0 ? errno : ENAMETOOLONG,
			    "read the symbolic link %s", path);
	*ret = arena_strndup(&files->covered->memory, target, (size_t)n);
	return *ret ? 0 : -ENOMEM;
}

/* The part that a message and a placeholder need. */
static const struct files_carve *copy_carve(struct arena *arena,
					    const struct files_carve *carve)
{
	struct files_carve *copy = arena_alloc(arena, sizeof *copy);
	struct files_entry *denied = arena_alloc(arena, sizeof *denied);

	if (!copy || !denied)
		return NULL;
	*denied = (struct files_entry){
		.key = arena_strdup(arena, carve->denied->key),
		.item = arena_strdup(arena, carve->denied->item),
		.implied = carve->denied->implied,
	};
	*copy = *carve;
	copy->path = arena_strdup(arena, carve->path);
	copy->text = carve->text ? arena_strdup(arena, carve->text) : NULL;
	copy->denied = copy->above = denied;
	return denied->key && denied->item && copy->path &&
			       (!carve->text || copy->text) ?
		       copy :
		       NULL;
}

/* The bind mounts, to find a directory of the container on the host. */
static int copy_binds(struct arena *arena, const struct oci_spec *spec,
		      const struct oci_spec **ret)
{
	struct oci_spec *copy = arena_alloc(arena, sizeof *copy);
	struct oci_mount *mounts =
		arena_array(arena, spec->nmounts + 1, sizeof *mounts);
	size_t n = 0;

	if (!copy || !mounts)
		return -ENOMEM;
	for (size_t i = 0; i < spec->nmounts; i++) {
		const struct oci_mount *m = &spec->mounts[i];

		if (!m->source || !oci_mount_is_bind(m))
			continue;
		mounts[n] = (struct oci_mount){
			.type = "bind",
			.source = arena_strdup(arena, m->source),
			.destination = arena_strdup(arena, m->destination),
		};
		if (!mounts[n].source || !mounts[n].destination)
			return -ENOMEM;
		n++;
	}
	copy->mounts = mounts;
	copy->nmounts = n;
	*ret = copy;
	return 0;
}

static int copy_places(const struct enforce_files *files,
		       struct placeholders *ret)
{
	struct covered *c = files->covered;

	*ret = (struct placeholders){
		.rootfs = arena_strdup(&c->memory, files->rootfs),
		.proc = c->proc,
		.root = c->root,
		.state = c->state,
	};
	return ret->rootfs ? copy_binds(&c->memory, files->spec, &ret->spec) :
			     -ENOMEM;
}

/* What replaces a link has the rights of what the link led to. */
static uint32_t rights_of(const struct files_carve *carve)
{
	if (!carve->link || carve->rights)
		return carve->rights;
	return carve->denied->implied ? LANDLOCK_MAY_WRITE :
					carve->denied->rights;
}

/* A mask above it hides it, and no process outside can replace a mount. */
static bool is_watched(const struct files_carves *carves,
		       const struct mountinfo *mounts, size_t i)
{
	const struct files_carve *carve = &carves->items[i];
	const struct mountinfo_line *top = mountinfo_of(mounts, carve->path);

	for (size_t k = 0; k < i; k++)
		if (carves->items[k].rights & LANDLOCK_MAY_READ &&
		    files_is_at_or_below(carve->path, carves->items[k].path))
			return false;
	return carve->above && !carve->unmade && top &&
	       !streq(top->point, carve->path) && !streq(top->type, "proc") &&
	       !streq(top->type, "sysfs");
}

static int list_names(const struct enforce_files *files,
		      const struct files_carves *carves,
		      const struct mountinfo *mounts, struct covered_name **ret,
		      size_t *ret_n)
{
	struct arena *arena = &files->covered->memory;
	struct covered_name *names =
		arena_array(arena, carves->n, sizeof *names);
	size_t n = 0;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < carves->n; i++) {
		const struct files_carve *carve = &carves->items[i];
		int r;

		if (!is_watched(carves, mounts, i))
			continue;
		names[n] = (struct covered_name){
			.path = arena_strdup(arena, carve->path),
			.rights = rights_of(carve),
			.absent = carve->absent,
			.may_be_linked = !carve->rights ||
					 carve->denied->implied,
			.user = copy_carve(arena, carve),
		};
		if (!names[n].path || !names[n].user)
			return -ENOMEM;
		r = carve->link ?
			    read_target(files, carve->path, &names[n].target) :
			    0;
		if (r < 0)
			return r;
		n++;
	}
	*ret = names;
	*ret_n = n;
	return 0;
}

static int watch(const struct enforce_files *files,
		 const struct files_carves *carves,
		 const struct mountinfo *mounts)
{
	struct covered *covered = files->covered;
	struct placeholders *places;
	struct covered_input in = {
		.mounts = mounts,
		.proc = files->proc,
		.root = files->root,
		.userns = files->userns,
		.mntns = files->mntns,
		.state = files->state,
		.place = place_again,
	};
	int r = covered_prepare(covered);

	if (r < 0)
		return r;
	places = arena_alloc(&covered->memory, sizeof *places);
	r = places ? list_names(files, carves, mounts, &in.names, &in.n) :
		     -ENOMEM;
	if (r < 0 || !in.n)
		return r;
	in.ctx = places;
	r = covered_open(&in, covered);
	return r < 0 ? r : copy_places(files, places);
}

int enforce_watch_covers(const struct enforce_files *files,
			 const struct files_carves *carves,
			 const struct mountinfo *mounts)
{
	const struct policy *policy = &files->enforcement->policy;
	int r;

	if (!carves->n || files->mntns < 0 ||
	    policy_disables(policy, PROTECT_DENY_REPLACE))
		return 0;
	r = watch(files, carves, mounts);
	if (r >= 0)
		return 0;
	covered_close(files->covered);
	if (!policy_may_lack(policy, PROTECT_DENY_REPLACE))
		return fail_in(r,
			       "deny_replace (list it in config.allow_degraded "
			       "to run without it)");
	log_warning("%s", err_text());
	err_clear();
	enforce_tell_missing(1U << PROTECT_DENY_REPLACE);
	if (files->degraded)
		*files->degraded |= 1U << PROTECT_DENY_REPLACE;
	return 0;
}

/* ---- all covers ---- */

bool enforce_has_covers(const struct enforce_files *files,
			const struct files_carves *carves)
{
	return files->mntns >= 0 &&
	       (carves->n || files->enforcement->masks_sockets ||
		files->enforcement->hidden.n);
}

int enforce_covers(const struct enforce_files *files,
		   const struct files_carves *carves,
		   const struct mountinfo *given,
		   const struct enforce_bound *bound)
{
	AUTO(masks_close) struct masks masks = { files->root, -1 };
	struct mountinfo after = *given;
	int r = 0;

	if (!enforce_has_covers(files, carves))
		return 0;
	/* Cover sockets last: those that are covered already are skipped. */
	for (size_t i = 0; r == 0 && i < carves->n; i++)
		r = carve_one(&masks, given, &carves->items[i]);
	for (size_t i = 0; r == 0 && i < files->enforcement->hidden.n; i++)
		r = hide_state(files, &masks,
			       files->enforcement->hidden.items[i]);
	if (r < 0 || !files->enforcement->masks_sockets)
		return r;
	/* A directory that was mounted on itself still contains its sockets. */
	if (carves->n || files->enforcement->hidden.n)
		r = mountinfo_read(files->arena, files->proc, "self", &after);
	return r < 0 ? r : enforce_sockets(files, &masks, given, &after, bound);
}
