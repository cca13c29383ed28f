/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/cover.c - cover denied paths with mounts, and verify it. */
#include "runtime/enforce/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"
#include "confine/masks.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/files.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/view.h"

/* True for files of the kernel's file systems, which no process can replace. */
static bool is_of_kernel(int root, const struct files_carve *carve)
{
	autoclose int fd = root_open_plain(root, carve->path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;

	return fd >= 0 && fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC);
}

/*
 * Return 1 to warn about the carve: the policy lists no writable path, so that
 * there is none to remove.
 */
static int check_replaceable(const struct enforce_files *files,
			     const struct files_carve *carve,
			     uint32_t *ret_missing)
{
	const uint32_t bit = 1U << PROTECT_DENY_REPLACE;
	const struct policy *policy = &files->enforcement->policy;

	if ((!carve->rights && !carve->on_way) || !carve->above ||
	    is_of_kernel(files->root, carve) || policy->disable & bit)
		return 0;
	if (!(policy->allow_degraded & bit) && carve->above->implied)
		return 1;
	if (!(policy->allow_degraded & bit))
		return fail(
			0,
			"%s '%s' lies below %s '%s', which is writable: a file "
			"put under its name from outside is not denied; list "
			"deny_replace in config.allow_degraded to accept this",
			carve->denied->key, carve->denied->item,
			carve->above->key, carve->above->item);
	*ret_missing |= bit;
	return 0;
}

/* Called once, however many names are denied. */
static void tell_replaceable(const struct files_carve *carve)
{
	log_warning("%s '%s': a file that a process outside the container puts "
		    "under this name is not denied: list deny_replace in "
		    "config.allow_degraded to accept this",
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
