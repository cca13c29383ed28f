/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/policy_files.c - find the policy files, and the mounts that
 * show them.
 */
#include "runtime/enforce/policy_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "policy/profile_find.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/spec.h"
#include "runtime/enforce/view.h"

struct keeper {
	struct arena *arena;
	struct policy_kept_list *kept; /* found so far */
	int root;		       /* the host's */
	const struct view_bind *binds; /* mounts in their order */
	size_t nbinds;
};

/* ---- where it is inside ---- */

static int add(struct keeper *k, const struct policy_kept *kept)
{
	struct policy_kept *items = arena_grow(k->arena, k->kept->items,
					       k->kept->n, k->kept->n + 1,
					       sizeof *items);

	if (!items)
		return -ENOMEM;
	items[k->kept->n] = *kept;
	*k->kept = (struct policy_kept_list){ items, k->kept->n + 1 };
	return 0;
}

static const char *join(struct arena *arena, const char *top, const char *rest)
{
	if (!*rest)
		return top;
	return arena_printf(arena, "%s%s", streq(top, "/") ? "" : top, rest);
}

/* Add every place where it is visible: several mounts may show it. */
static int show(struct keeper *k, const char *path, struct policy_kept kept)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < k->nbinds; i++) {
		const struct view_bind *bind = &k->binds[i];
		const char *inside;

		if (!bind->writable || bind->tmpfs)
			continue;
		kept.top = bind->path;
		if (files_is_at_or_below(path, bind->source))
			kept.rest = path + (streq(bind->source, "/") ?
						    0 :
						    strlen(bind->source));
		else if (!kept.on_way && !kept.missing &&
			 files_is_at_or_below(bind->source, path))
			kept.rest = "";
		else
			continue;
		inside = join(k->arena, kept.top, kept.rest);
		if (!inside)
			return -ENOMEM;
		if (view_is_on_top(k->binds, k->nbinds, i, inside))
			r = add(k, &kept);
	}
	return r;
}

/* ---- one path ---- */

/* Add the missing directories of the path, then the file itself. */
static int keep_missing(struct keeper *k, const struct files_way *way,
			struct policy_kept kept)
{
	char *path = arena_printf(k->arena, "%s%s%s", way->end,
				  *way->rest ? "/" : "", way->rest);
	int r = 0;

	if (!path)
		return -ENOMEM;
	kept.missing = true;
	for (char *at = path + strlen(way->end); r == 0 && *at;
	     at = at + 1 + strcspn(at + 1, "/")) {
		struct policy_kept above = kept;

		above.on_way = true;
		above.file = above.absent = false;
		*at = '\0';
		r = show(k, arena_strdup(k->arena, path), above);
		*at = '/';
	}
	return r < 0 ? r : show(k, path, kept);
}

/* Keep the workload from replacing links and directories of the path. */
static int hold_way(struct keeper *k, const char *path,
		    const struct files_way *way)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < way->n; i++)
		r = show(k, way->steps[i].path,
			 (struct policy_kept){
				 .host = path,
				 .on_way = true,
				 .link = way->steps[i].target,
			 });
	return r;
}

/* A workload that owns a closed directory could open it: make it read-only. */
static int keep_closed(struct keeper *k, const char *path,
		       const struct files_way *way)
{
	int r = hold_way(k, path, way);

	err_clear();
	return r < 0 ? r :
		       show(k, way->end, (struct policy_kept){ .host = path });
}

static int keep_end(struct keeper *k, const char *path, struct files_way way,
		    bool file)
{
	struct policy_kept kept = { .host = path, .file = file };
	size_t shown = k->kept->n;
	int r = hold_way(k, path, &way);

	if (r < 0)
		return r;
	kept.absent = file && (way.missing || S_ISSOCK(way.mode));
	/* The path has ".." after a missing name: deny that name. */
	if (way.missing && strstr(way.rest, "..")) {
		way.rest = "";
		kept.file = kept.absent = false;
	}
	r = way.missing ? keep_missing(k, &way, kept) : show(k, way.end, kept);
	if (r == 0 && k->kept->n > shown && S_ISREG(way.mode) && way.nlinks > 1)
		return fail(0,
			    "policy file %s is writable inside the sandbox: it "
			    "has %lu hard links, and the others would stay "
			    "writable, so replace it by a copy",
			    path, way.nlinks);
	return r;
}

/* True if no writable mount shows a part of the path; one call tells. */
static bool is_apart(const struct keeper *k, const char *path,
		     struct files_way *ret)
{
	*ret = (struct files_way){ .end = path, .rest = "" };
	for (size_t i = 0; i < k->nbinds; i++) {
		const struct view_bind *bind = &k->binds[i];

		if (bind->writable && !bind->tmpfs &&
		    (files_is_at_or_below(path, bind->source) ||
		     files_is_at_or_below(bind->source, path)))
			return false;
	}
	return files_has_no_links(k->root, path, &ret->missing);
}

static int keep(struct keeper *k, const char *path, bool file,
		struct files_way *ret_way)
{
	if (is_apart(k, path, ret_way))
		return 0;

	int r = files_way(k->arena, k->root, path, ret_way);

	if (r == -EACCES)
		return keep_closed(k, path, ret_way);
	return r < 0 ? r : keep_end(k, path, *ret_way, file);
}

static int keep_file(struct keeper *k, const char *path)
{
	struct files_way way;

	return keep(k, path, /* file= */ true, &way);
}

static bool is_named_twice(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (S_ISLNK(st.st_mode) ||
		(S_ISREG(st.st_mode) && st.st_nlink > 1));
}

/* A profile may be a link to a file elsewhere, or have a second hard link. */
static int keep_files_in(struct keeper *k, const char *folder)
{
	autoclosedir DIR *dir = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	while (r == 0 && dir && (entry = readdir(dir))) {
		const char *path;

		if (!is_named_twice(dirfd(dir), entry->d_name))
			continue;
		path = arena_printf(k->arena, "%s/%s", folder, entry->d_name);
		r = path ? keep_file(k, path) : -ENOMEM;
	}
	return r;
}

/* Keep our directory in another one, and the profiles in it. */
static int keep_folder(struct keeper *k, const char *above, const char *name)
{
	const char *path = arena_printf(k->arena, "%s/%s", above, name);
	const char *profiles =
		path ? arena_printf(k->arena, "%s/profiles", path) : NULL;
	struct files_way way;
	int r = profiles ? keep(k, path, /* file= */ false, &way) : -ENOMEM;

	if (r < 0)
		return r;
	if (way.missing) {
		way.rest = arena_printf(k->arena, "%s%sprofiles", way.rest,
					*way.rest ? "/" : "");
		return way.rest ? keep_end(k, profiles, way, false) : -ENOMEM;
	}
	r = keep(k, profiles, /* file= */ false, &way);
	return r < 0 || way.missing ? r : keep_files_in(k, profiles);
}

/* ---- all of them ---- */

/*
 * A branch that a workload could make would be committed with the rights of
 * the caller.
 */
static int keep_branches(struct keeper *k, const char *home)
{
	const char *state = getenv("XDG_STATE_HOME");
	struct files_way way;
	const char *paths[] = {
		"/var/lib/sandlock",
		state && state[0] == '/' ?
			arena_printf(k->arena, "%s/sandlock", state) :
			"",
		home && home[0] == '/' ?
			arena_printf(k->arena, "%s/.local/state/sandlock",
				     home) :
			"",
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < COUNT(paths); i++) {
		if (!paths[i])
			return -ENOMEM;
		if (*paths[i])
			r = keep(k, paths[i], /* file= */ false, &way);
	}
	return r;
}

static int keep_folders(struct keeper *k)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int r = keep_folder(k, "/etc", "sandlock");

	if (r == 0)
		r = keep_folder(k, "/usr/share", "sandlock");
	if (r == 0 && config && config[0] == '/')
		r = keep_folder(k, config, "sandlock");
	/* Even with XDG_CONFIG_HOME: a later run may not have it set. */
	if (r == 0 && home && home[0] == '/') {
		struct files_way way;
		const char *usual = arena_printf(k->arena, "%s/.config", home);
		const char *own = arena_printf(k->arena, "%s/.sandlock", home);

		if (!usual || !own)
			return -ENOMEM;
		r = keep_folder(k, usual, "sandlock");
		if (r == 0)
			r = keep(k, own, /* file= */ false, &way);
	}
	return r < 0 ? r : keep_branches(k, home);
}

static int keep_in_project(struct keeper *k, const char *project)
{
	static const char *const names[] = {
		"pyproject.toml",
		"uv.toml",
		".claude/settings.json",
		".claude/settings.local.json",
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < COUNT(names); i++) {
		const char *path =
			arena_printf(k->arena, "%s/%s",
				     streq(project, "/") ? "" : project,
				     names[i]);

		r = path ? keep_file(k, path) : -ENOMEM;
	}
	return r;
}

/* Keep the policies of the project, and of projects that contain it. */
static int keep_projects(struct keeper *k, int proc, const char *project)
{
	const struct files_place place = {
		.proc = proc,
		.root = k->root,
		.home = getenv("HOME"),
		.project = project,
	};
	struct strings projects;
	int r = files_projects(k->arena, &place, &projects);

	for (size_t i = 0; r == 0 && i < projects.n; i++)
		r = keep_in_project(k, projects.items[i]);
	return r;
}

/* Open the root; 0 if the workload can write nowhere. */
static int open_keeper(struct keeper *k)
{
	for (size_t i = 0; k->root < 0 && i < k->nbinds; i++)
		if (k->binds[i].writable) {
			k->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
			if (k->root < 0)
				return fail(errno,
					    "open / to find the policy files "
					    "in the sandbox");
		}
	return k->root >= 0;
}

static void close_keeper(struct keeper *k)
{
	closep(&k->root);
}

static int keep_in_use(struct keeper *k, const char *cwd, const char *file)
{
	if (file[0] != '/')
		file = arena_printf(k->arena, "%s/%s", cwd, file);
	return file ? keep_file(k, file) : -ENOMEM;
}

/* Avoid duplicates: the policy in use may also be one of the project's. */
static bool is_told(const struct files_list *denied, const char *path)
{
	for (size_t i = 0; i < denied->n; i++)
		if (denied->items[i].implied &&
		    streq(denied->items[i].path, path))
			return true;
	return false;
}

/*
 * A line with only a name takes the value from the caller's environment, so a
 * workload that writes the file could read that value in the next run.
 */
static int keep_env_files(struct keeper *k, const struct view_input *input)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < input->env_files.n; i++) {
		const char *file = input->env_files.items[i];
		struct stat st;

		/* A pipe or descriptor is not the same file in the next run. */
		if (stat(file, &st) < 0 || !S_ISREG(st.st_mode) ||
		    starts_with(file, "/dev/") || starts_with(file, "/proc/"))
			continue;
		r = keep_in_use(k, input->cwd, file);
	}
	return r;
}

/* Add them to the denied paths, for explain and --why. */
static int tell(struct arena *arena, const struct policy_kept_list *all,
		struct files_list *denied)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < all->n; i++) {
		const struct policy_kept *kept = &all->items[i];
		const struct files_entry entry = {
			.path = join(arena, kept->top, kept->rest),
			.rights = LANDLOCK_MAY_WRITE,
			.key = POLICY_FILES_KEY,
			.item = kept->host,
			.missing = kept->missing,
			.implied = true,
		};

		if (!entry.path)
			return -ENOMEM;
		if (!kept->on_way && !is_told(denied, entry.path))
			r = files_add(arena, denied, &entry);
	}
	return r;
}

static struct keeper keeper_of_view(struct arena *arena,
				    const struct view *view,
				    struct policy_kept_list *kept)
{
	return (struct keeper){
		.arena = arena,
		.kept = kept,
		.root = -1,
		.binds = view->binds,
		.nbinds = view->nbinds,
	};
}

int policy_files_of_sandbox(struct arena *arena, const struct view_input *input,
			    int proc, struct view *view,
			    struct policy_kept_list *kept)
{
	AUTO(close_keeper)
	struct keeper k = keeper_of_view(arena, view, kept);
	int r = open_keeper(&k);

	if (r <= 0)
		return r;
	r = keep_folders(&k);
	if (r == 0 && input->source)
		r = keep_in_use(&k, input->cwd, input->source);
	if (r == 0)
		r = keep_env_files(&k, input);
	if (r == 0)
		r = keep_projects(&k, proc, input->project);
	return r < 0 ? r : tell(arena, kept, &view->denied);
}

int policy_files_hold_links(struct arena *arena, const struct view *view,
			    const char *path, const struct files_way *way,
			    struct policy_kept_list *kept)
{
	struct keeper k = keeper_of_view(arena, view, kept);

	return hold_way(&k, path, way);
}

/* ---- bundles ---- */

/*
 * A root file system belongs to the container unless it contains host policies.
 */
static bool is_of_host(const char *rootfs)
{
	const char *home = getenv("HOME");

	return files_is_at_or_below("/etc", rootfs) ||
	       (home && files_is_at_or_below(home, rootfs));
}

/* Only bind mounts have a source. */
static int find_bind(const struct keeper *k, const char *bundle,
		     const struct oci_mount *m, struct view_bind *ret)
{
	const char *source = oci_mount_is_bind(m) ? m->source : NULL;
	autofree char *real = NULL;

	*ret = (struct view_bind){ .path = m->destination };
	if (source && source[0] != '/')
		source = arena_printf(k->arena, "%s/%s", bundle, source);
	real = source ? realpath(source, NULL) : NULL;
	if (!real)
		return 0;
	ret->source = arena_strdup(k->arena, real);
	return ret->source ? enforce_may_write(k->arena, m, ret->source,
					       &ret->writable) :
			     -ENOMEM;
}

static int find_binds(struct keeper *k, const struct enforce_input *input,
		      const struct oci_spec *spec)
{
	struct view_bind *binds =
		arena_array(k->arena, spec->nmounts + 1, sizeof *binds);
	const char *rootfs = input->rootfs;
	int r = 0;

	if (!binds)
		return -ENOMEM;
	binds[0] = (struct view_bind){
		.path = "/",
		.source = rootfs,
		.writable = rootfs && is_of_host(rootfs) &&
			    !spec->root_readonly,
	};
	for (size_t i = 0; r == 0 && i < spec->nmounts; i++) {
		r = find_bind(k, input->bundle, &spec->mounts[i],
			      &binds[i + 1]);
		if (r < 0)
			return fail_in(r, "mounts[%zu]", i);
	}
	k->binds = binds;
	k->nbinds = spec->nmounts + 1;
	return 0;
}

/*
 * Return the host directory where the process starts; NULL if it is not on the
 * host.
 */
static const char *find_project(const struct keeper *k, const char *cwd)
{
	for (size_t i = k->nbinds; i-- > 0;) {
		const struct view_bind *bind = &k->binds[i];

		if (!files_is_at_or_below(cwd, bind->path))
			continue;
		return bind->writable && !streq(bind->path, "/") ?
			       join(k->arena, bind->source,
				    cwd + strlen(bind->path)) :
			       NULL;
	}
	return NULL;
}

static int keep_profile(struct keeper *k, const char *profile)
{
	autofree char *real = strchr(profile, '/') ? realpath(profile, NULL) :
						     NULL;
	const char *path = real ? arena_strdup(k->arena, profile) : NULL;
	autofree char *cwd = NULL;

	/* A profile given by name is in a folder that keep_folders keeps. */
	if (!path)
		return 0;
	cwd = realpath(".", NULL);
	return keep_in_use(k, cwd ? cwd : "/", path);
}

int policy_files_of_bundle(struct arena *arena,
			   const struct enforce_input *input,
			   const struct oci_spec *spec,
			   struct policy_kept_list *kept)
{
	AUTO(close_keeper)
	struct keeper k = { .arena = arena, .kept = kept, .root = -1 };
	autoclose int proc = -1;
	const char *project = NULL;
	int r = find_binds(&k, input, spec);

	if (r == 0)
		r = open_keeper(&k);
	if (r <= 0)
		return r;
	r = keep_folders(&k);
	if (r == 0 && input->profile)
		r = keep_profile(&k, input->profile);
	if (files_wanted(&input->policy) && spec->process)
		project = find_project(&k, spec->process->cwd);
	if (r < 0 || !project)
		return r;
	proc = proc_open();
	return proc < 0 ? proc : keep_projects(&k, proc, project);
}
