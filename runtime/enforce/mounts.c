/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/mounts.c - mount the directories of filesystem.mount, and
 * make everything read-only that a policy lets no process write.
 *
 * Landlock does not restrict chmod, chown, utime and attributes; a read-only
 * mount does. So the root becomes read-only, except for writable paths, which
 * get their own mounts. Binds without writable paths become read-only, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "confine/files.h"
#include "policy/glob.h"
#include "runtime/enforce/spec.h"

#define PROC_ROOT_INODE 1

/* ---- the directories of filesystem.mount ---- */

static bool is_proc_root(const char *path, const struct stat *st)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC &&
	       st->st_ino == PROC_ROOT_INODE;
}

/* Files of a bundle may cover some files of /proc, which the plan checks. */
int enforce_check_mount(const struct policy_mount *mount, const char *host,
			const struct stat *st)
{
	if (streq(mount->inside, "/"))
		return fail(0,
			    "filesystem.mount '%s:%s': cannot mount over /: "
			    "choose a directory below it",
			    mount->inside, mount->host);
	if (starts_with(mount->inside, "/proc/") && S_ISDIR(st->st_mode))
		return fail(0,
			    "filesystem.mount '%s:%s': a directory cannot be "
			    "mounted below /proc",
			    mount->inside, mount->host);
	if (streq(mount->inside, "/proc") && !is_proc_root(host, st))
		return fail(0,
			    "filesystem.mount '%s:%s': only a file system of "
			    "type proc can be mounted at /proc",
			    mount->inside, mount->host);
	return 0;
}

static int make_mount(const struct policy_mount *mount, struct oci_mount *ret)
{
	static const char *const writable[] = { "rbind", "rw", NULL };
	static const char *const readonly[] = { "rbind", "ro", "rro", NULL };
	struct stat st;
	int r;

	if (stat(mount->host, &st) < 0)
		return fail(errno, "filesystem.mount '%s': %s", mount->inside,
			    mount->host);
	r = enforce_check_mount(mount, mount->host, &st);
	if (r < 0)
		return r;
	*ret = (struct oci_mount){
		.destination = mount->inside,
		.source = mount->host,
		.type = "bind",
		.options = mount->readonly ? STRINGS_OF(readonly) :
					     STRINGS_OF(writable),
	};
	return 0;
}

int enforce_tmpfs(struct arena *arena, const char *path, const char *size,
		  struct oci_mount *ret)
{
	struct strings options = { 0 };
	int r = strings_add(arena, &options, "nosuid");

	if (r == 0)
		r = strings_add(arena, &options, "nodev");
	if (r == 0)
		r = strings_add(arena, &options, "mode=1777");
	if (r == 0 && size)
		r = strings_add(arena, &options,
				arena_printf(arena, "size=%s", size));
	*ret = (struct oci_mount){
		.destination = path,
		.source = "tmpfs",
		.type = "tmpfs",
		.options = options,
	};
	return r;
}

/* They come last, so that they cover what config.json mounts there. */
static int add_tmpfs(struct arena *arena, const struct strings *wanted,
		     struct oci_mount *mounts, size_t *n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < wanted->n; i++) {
		struct policy_tmpfs tmpfs;

		r = policy_tmpfs(arena, wanted->items[i], &tmpfs);
		if (r == 0)
			r = enforce_tmpfs(arena, tmpfs.path, tmpfs.size,
					  &mounts[(*n)++]);
	}
	return r;
}

static bool is_listed(const struct strings *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *item = list->items[i] + (list->items[i][0] == '-');
		size_t len = strcspn(item, ":");

		if (strncmp(path, item, len) == 0 &&
		    (!path[len] || path[len] == '/' || item[len - 1] == '/'))
			return true;
		if (streq(item, "@tmp") && starts_with(path, "/tmp"))
			return true;
	}
	return false;
}

int enforce_tmpdir(struct arena *arena, const struct policy *policy,
		   const struct strings *env, struct strings *last_env)
{
	const char *given = oci_env_get(env, "TMPDIR");
	struct policy_tmpfs tmpfs;
	int r;

	if (!given)
		given = "/tmp";
	if (!policy->tmpfs.n || !policy_allows_files(policy) ||
	    is_listed(&policy->tmpfs, given) ||
	    is_listed(&policy->read, given) ||
	    is_listed(&policy->write, given) ||
	    is_listed(&policy->write_only, given))
		return 0;
	r = policy_tmpfs(arena, policy->tmpfs.items[0], &tmpfs);
	return r < 0 ? r :
		       strings_add(arena, last_env,
				   arena_printf(arena, "TMPDIR=%s",
						tmpfs.path));
}

int enforce_host_mounts(struct arena *arena,
			const struct enforcement *enforcement,
			struct oci_spec *spec)
{
	const struct policy_mounts *wanted = &enforcement->policy.mount;
	struct oci_mount *mounts;
	size_t n = spec->nmounts;

	const struct strings *tmpfs = &enforcement->policy.tmpfs;
	int r;

	if (!(wanted->n + tmpfs->n) || enforcement->kind != ENFORCE_BUNDLE)
		return 0;
	if (!spec->linux_.namespaces[OCI_NS_MOUNT].listed ||
	    spec->linux_.namespaces[OCI_NS_MOUNT].path)
		return fail(0,
			    "filesystem.%s requires the container's own mount "
			    "namespace: add one to linux.namespaces",
			    wanted->n ? "mount" : "tmpfs");
	mounts = arena_grow(arena, spec->mounts, n, n + wanted->n + tmpfs->n,
			    sizeof *mounts);
	if (!mounts)
		return -ENOMEM;
	for (size_t i = 0; i < wanted->n; i++) {
		if (policy_mount_is_absent(&wanted->items[i]))
			continue;
		r = make_mount(&wanted->items[i], &mounts[n]);
		if (r < 0)
			return r;
		n++;
	}
	r = add_tmpfs(arena, tmpfs, mounts, &n);
	spec->mounts = mounts;
	spec->nmounts = n;
	return r;
}

/* ---- what nothing may write ---- */

struct writable {
	struct arena *arena;
	const char *rootfs; /* on the host; or NULL */
	const struct oci_spec *spec;
	bool of_floor;
	struct strings paths;
	bool unknown; /* some paths cannot be known in advance */
};

/* For a pattern, add the directory where its wildcards begin. */
static int add_pattern(struct writable *w, const char *pattern)
{
	return strings_add(w->arena, &w->paths,
			   policy_glob_start(w->arena, pattern));
}

static int add_preset(struct writable *w, const struct oci_process *process,
		      const char *home, const char *name)
{
	const struct policy_context context = {
		.os = POLICY_LINUX,
		.home = home,
		.project = process->cwd,
		.env = w->of_floor ? files_floor_env : process->env,
	};
	struct policy_preset preset;
	int r;

	if (streq(name, "python") || starts_with(name, "git-")) {
		w->unknown = true;
		return 0;
	}
	r = policy_path_preset(w->arena, name, &context, &preset);
	for (size_t i = 0; r == 0 && i < preset.paths.n; i++)
		r = add_pattern(w, preset.paths.items[i]);
	return r;
}

static int add_list(struct writable *w, const struct oci_process *process,
		    const char *home, const struct strings *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *item = list->items[i];
		int r = item[0] == '@' ?
				add_preset(w, process, home, item + 1) :
				add_pattern(w, item + (item[0] == '-'));

		if (r < 0)
			return r;
	}
	return 0;
}

static bool touches(const struct writable *w, const char *path)
{
	for (size_t i = 0; i < w->paths.n; i++)
		if (files_is_at_or_below(path, w->paths.items[i]) ||
		    files_is_at_or_below(w->paths.items[i], path))
			return true;
	return false;
}

static bool is_of_host(const struct oci_mount *mount)
{
	static const char *const kernel[] = { "/proc", "/sys", "/dev" };

	for (size_t i = 0; i < COUNT(kernel); i++)
		if (files_is_at_or_below(mount->destination, kernel[i]))
			return false;
	return oci_mount_is_bind(mount);
}

/* Append both options, as the last one wins; "rro" includes mounts below. */
static int close_mounts(const struct writable *w, struct oci_spec *spec,
			struct strings *ret)
{
	const char **closed =
		arena_array(w->arena, spec->nmounts + 1, sizeof *closed);
	struct oci_mount *mounts = arena_grow(w->arena, spec->mounts,
					      spec->nmounts, spec->nmounts,
					      sizeof *mounts);

	size_t n = 0;

	if (!mounts || !closed)
		return -ENOMEM;
	for (size_t i = 0; i < spec->nmounts; i++) {
		struct strings *options = &mounts[i].options;
		int r;

		if (!is_of_host(&mounts[i]) ||
		    touches(w, mounts[i].destination))
			continue;
		r = strings_add(w->arena, options, "ro");
		if (r == 0)
			r = strings_add(w->arena, options, "rro");
		if (r < 0)
			return r;
		closed[n++] = mounts[i].destination;
	}
	*ret = (struct strings){ closed, n };
	spec->mounts = mounts;
	return 0;
}

static bool is_on_mount(const struct oci_spec *spec, const char *path)
{
	for (size_t i = 0; i < spec->nmounts; i++)
		if (files_is_at_or_below(path, spec->mounts[i].destination))
			return true;
	return false;
}

/* List the writable paths of the root itself; false if the root is one. */
static bool keep_in_root(const struct writable *w, const struct oci_spec *spec,
			 struct strings *ret)
{
	struct strings kept = { w->paths.items, 0 };

	for (size_t i = 0; i < w->paths.n; i++) {
		if (streq(w->paths.items[i], "/"))
			return false;
		if (!is_on_mount(spec, w->paths.items[i]))
			kept.items[kept.n++] = w->paths.items[i];
	}
	if (kept.items)
		kept.items[kept.n] = NULL;
	*ret = kept;
	return true;
}

/* Without mounts, modes, owners and times are not protected. */
static int lose_mounts(struct enforcement *enforcement)
{
	const uint32_t bit = 1U << PROTECT_NAMESPACES;

	if (!(enforcement->policy.allow_degraded & bit))
		return fail(0,
			    "filesystem: modes and owners cannot be enforced "
			    "without a mount namespace: list namespaces in "
			    "config.allow_degraded to accept this");
	enforcement->missing |= bit;
	return 0;
}

static int list_writable(struct writable *w, const struct oci_spec *spec,
			 const char *home, const struct policy *policy)
{
	int r = add_list(w, spec->process, home, &policy->write);

	return r < 0 ? r :
		       add_list(w, spec->process, home, &policy->write_only);
}

/*
 * A path of the policy below one of the floor may have links that lead out of
 * it. *ret is the path without links, or NULL if it leads out.
 */
static int stay_below(const struct writable *w, const char *path,
		      const char *dir, const char **ret)
{
	autoclose int proc = proc_open();
	autoclose int root =
		w->rootfs ? open(w->rootfs, O_PATH | O_DIRECTORY | O_CLOEXEC) :
			    -1;
	const struct files_place place = { .proc = proc, .root = root };
	const char *real = NULL, *real_dir = NULL;
	int r = proc < 0 ? proc : 0;

	if (r == 0 && root >= 0)
		r = files_real_path(w->arena, &place, path, &real);
	if (r == 0 && real)
		r = files_real_path(w->arena, &place, dir, &real_dir);
	/* Nor does a link of the floor's own path lead to a volume. */
	if (real && !streq(real, path) && is_on_mount(w->spec, real))
		real_dir = NULL;
	*ret = !real						? path :
	       real_dir && files_is_at_or_below(real, real_dir) ? real :
								  NULL;
	return r;
}

/* Keep the paths that both lists have at or above them. */
static int meet(struct writable *w, const struct writable *other)
{
	const struct strings *one = &w->paths, *two = &other->paths;
	struct strings both = { 0 };
	int r = 0;

	for (size_t i = 0; i < one->n; i++)
		for (size_t k = 0; r == 0 && k < two->n; k++) {
			const char *a = one->items[i], *b = two->items[k];
			const char *kept = NULL;

			if (files_is_at_or_below(a, b))
				r = stay_below(w, a, b, &kept);
			if (r == 0 && kept)
				r = strings_add(w->arena, &both, kept);
			if (files_is_at_or_below(a, b))
				continue;
			if (files_is_at_or_below(b, a))
				r = strings_add(w->arena, &both, b);
		}
	w->paths = both;
	return r;
}

/* What the floors do not let the container write stays read-only, too. */
static int meet_floors(struct writable *w, const struct oci_spec *spec,
		       const char *home, const struct policy *policy)
{
	const struct policy_floor *floor;
	int r = 0;

	for (floor = policy->floor; r == 0 && floor;
	     floor = floor->policy.floor) {
		struct writable held = { .arena = w->arena, .of_floor = true };

		if (!policy_allows_files(&floor->policy))
			continue;
		r = list_writable(&held, spec, floor->home ? floor->home : home,
				  &floor->policy);
		if (r < 0 || held.unknown)
			continue;
		if (w->unknown)
			*w = held;
		else
			r = meet(w, &held);
	}
	return r;
}

int enforce_mounts(struct arena *arena, const char *rootfs,
		   struct enforcement *enforcement, struct oci_spec *spec)
{
	const struct oci_namespace *own =
		&spec->linux_.namespaces[OCI_NS_MOUNT];
	const struct policy *policy = &enforcement->policy;
	struct writable w = { .arena = arena, .rootfs = rootfs, .spec = spec };
	int r;

	/* The binds of a view are already writable or read-only. */
	if (enforcement->kind != ENFORCE_BUNDLE || !files_wanted(policy))
		return 0;
	if (!own->listed || own->path)
		return lose_mounts(enforcement);
	r = list_writable(&w, spec, enforcement->home, policy);
	if (r == 0)
		r = meet_floors(&w, spec, enforcement->home, policy);
	if (r < 0 || w.unknown)
		return r;
	r = close_mounts(&w, spec, &enforcement->closed);
	if (r < 0)
		return r;
	if (!spec->root_readonly &&
	    keep_in_root(&w, spec, &enforcement->writable))
		spec->root_readonly = true;
	return 0;
}
