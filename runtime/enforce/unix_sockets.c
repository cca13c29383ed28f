/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/unix_sockets.c - cover the Unix sockets of other processes in
 * the mounts of a container.
 *
 * Neither a read-only mount nor Landlock before version 9 prevents connections.
 * Sockets of others are in mounts of the host when the container is created;
 * later ones are the workload's own. From version 9 on Landlock also denies
 * those that are made later, and all of them without mounts.
 */
#include "runtime/enforce/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/files.h"
#include "confine/masks.h"
#include "confine/unix_walk.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/files.h"
#include "runtime/enforce/view.h"

#define LOCAL_SYSTEM "/usr/local"

struct search {
	struct unix_walk walk;
	const struct enforce_files *files;
	struct masks *masks;
	const struct mountinfo *given; /* without our own mounts */
	const struct mountinfo *table;
	const struct enforce_bound *bound;
};

/* Listed sockets must exist, like any path of a policy. */
static int list_given(const struct enforce_files *files,
		      const struct strings *given, struct strings *ret)
{
	const struct files_place place = {
		.proc = files->proc,
		.root = files->root,
	};
	const char **items =
		arena_array(files->arena, given->n + 1, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < given->n; i++) {
		const char *item = given->items[i];
		bool optional = item[0] == '-';
		int r = files_real_path(files->arena, &place, item + optional,
					&items[n]);

		if (r < 0)
			return fail_in(r, "network.unix '%s'", item);
		if (!items[n] && !optional)
			return fail(ENOENT, "network.unix '%s'", item);
		n += items[n] != NULL;
	}
	*ret = (struct strings){ items, n };
	return 0;
}

static bool has_path(const struct strings *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++)
		if (files_is_at_or_below(path, list->items[i]))
			return true;
	return false;
}

/* Keep the paths that lie at or below one of the other list. */
static int meet(struct arena *arena, const struct strings *one,
		const struct strings *other, struct strings *ret)
{
	struct strings both = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < one->n; i++)
		if (has_path(other, one->items[i]))
			r = strings_add(arena, &both, one->items[i]);
	for (size_t i = 0; r == 0 && i < other->n; i++)
		if (has_path(one, other->items[i]) &&
		    !has_path(&both, other->items[i]))
			r = strings_add(arena, &both, other->items[i]);
	*ret = both;
	return r;
}

/* Each floor that restricts the network must list them, too. */
static int list(const struct enforce_files *files, struct strings *ret)
{
	const struct policy *policy = &files->enforcement->policy;
	int r = list_given(files, &policy->unix_, ret);

	while (r == 0 && policy->floor) {
		struct strings held;

		policy = &policy->floor->policy;
		if (!policy_has_section(policy, SECTION_NETWORK))
			continue;
		r = list_given(files, &policy->unix_, &held);
		if (r == 0)
			r = meet(files->arena, ret, &held, ret);
	}
	return r;
}

/* ---- outside the container: find them ---- */

/* These file systems contain no sockets. */
static bool is_of_kernel(const char *type)
{
	static const char *const types[] = {
		"proc",	  "sysfs",   "cgroup",	   "cgroup2",
		"devpts", "mqueue",  "securityfs", "debugfs",
		"bpf",	  "tracefs", "hugetlbfs",  "efivarfs",
	};

	for (size_t i = 0; i < COUNT(types); i++)
		if (streq(types[i], type))
			return true;
	return false;
}

static bool has_sockets(const struct mountinfo_line *mount)
{
	return !is_of_kernel(mount->type);
}

int enforce_find_sockets(struct arena *arena, int proc,
			 const struct unix_processes *processes,
			 const struct mountinfo *table,
			 struct enforce_bound *ret)
{
	struct unix_trees *trees = &ret->trees;

	trees->items = arena_array(arena, table->n + 1, sizeof *trees->items);
	if (!trees->items)
		return -ENOMEM;
	for (size_t i = 0; i < table->n; i++)
		if (has_sockets(&table->items[i]))
			trees->items[trees->n++] = (struct unix_tree){
				.device = table->items[i].device,
				.path = table->items[i].root,
				.place = table->items[i].point,
			};
	return unix_sockets_find(arena, proc, processes, trees, &ret->sockets);
}

static int add_bind(struct arena *arena, const struct mountinfo *own,
		    const struct view_bind *bind, struct mountinfo *ret)
{
	const struct mountinfo_line *mount = mountinfo_of(own, bind->source);
	struct mountinfo_line *line = &ret->items[ret->n];
	const char *rest;

	if (!mount)
		return 0;
	*line = *mount;
	line->point = bind->path;
	line->root = mountinfo_inner(arena, mount, bind->source);
	if (!line->root)
		return -ENOMEM;
	ret->n++;
	/* Mounts below the source are shown, too. */
	for (size_t i = 0; i < own->n; i++) {
		mount = &own->items[i];
		rest = mountinfo_rest(mount->point, bind->source);
		if (!rest || !*rest)
			continue;
		line = &ret->items[ret->n++];
		*line = *mount;
		line->point =
			arena_printf(arena, "%s%s",
				     streq(bind->path, "/") ? "" : bind->path,
				     rest);
		if (!line->point)
			return -ENOMEM;
	}
	return 0;
}

int enforce_view_mounts(struct arena *arena, int proc, const struct view *view,
			struct mountinfo *ret)
{
	struct mountinfo own, mounts = { 0 };
	int r = mountinfo_read(arena, proc, "self", &own);

	if (r < 0)
		return r;
	mounts.items = arena_array(arena, view->nbinds * (own.n + 1) + 1,
				   sizeof *mounts.items);
	if (!mounts.items)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < view->nbinds; i++)
		if (!view->binds[i].tmpfs)
			r = add_bind(arena, &own, &view->binds[i], &mounts);
	if (r == 0)
		*ret = mounts;
	return r;
}

static bool is_shown(const struct unix_trees *trees,
		     const struct unix_socket *socket)
{
	for (size_t i = 0; i < trees->n; i++)
		if (trees->items[i].device == socket->device &&
		    mountinfo_rest(socket->path, trees->items[i].path))
			return true;
	return false;
}

bool enforce_has_sockets(const struct enforce_bound *bound)
{
	for (size_t i = 0; i < bound->trees.n; i++)
		if (bound->trees.items[i].walked)
			return true;
	for (size_t i = 0; i < bound->sockets.n; i++)
		if (bound->sockets.items[i].path &&
		    is_shown(&bound->trees, &bound->sockets.items[i]))
			return true;
	return false;
}

/* ---- inside: the sockets that were found ---- */

/* The file may be under another mount, or gone; that is no error. */
static int add_closed(struct search *s, const char *path)
{
	const char *dir = path;

	/* The first directory that cannot be entered. */
	for (const char *p = path + 1; (p = strchr(p, '/')); p++) {
		char *below = arena_printf(s->files->arena, "%.*s/.",
					   (int)(p - path), path);
		autoclose int fd = -1;

		if (!below)
			return -ENOMEM;
		fd = root_open_plain(s->files->root, below, O_PATH | O_CLOEXEC);
		if (fd < 0 && errno == EACCES) {
			below[p - path] = '\0';
			dir = below;
			break;
		}
	}
	return dir == path ? 0 : unix_walk_closed(&s->walk, dir);
}

static int add_inside(struct search *s, const char *path,
		      const struct mountinfo_line *mount)
{
	autoclose int fd = root_open_plain(s->files->root, path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == EACCES)
		return add_closed(s, path);
	/* The walk covers a directory above. */
	if (fd < 0 && errno == ENAMETOOLONG)
		return unix_walk_mount(&s->walk, mount->point);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode))
		return 0;
	return unix_walk_add(&s->walk, path);
}

/* One file may be in several mounts. */
static int add_socket(struct search *s, const struct unix_socket *socket)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->table->n; i++) {
		const struct mountinfo_line *mount = &s->table->items[i];
		const char *path;

		if (!has_sockets(mount) || mount->device != socket->device ||
		    !mountinfo_rest(socket->path, mount->root))
			continue;
		path = mountinfo_outer(s->files->arena, mount, socket->path);
		r = path ? add_inside(s, path, mount) : -ENOMEM;
	}
	return r;
}

/* ---- inside: the trees that must be walked ---- */

/* True if it contains a path that must stay visible. */
static bool is_wanted(const struct unix_walk *walk, const char *dir)
{
	const struct search *s = walk->user;
	const struct view *view = s->files->enforcement->view;
	const struct policy_mounts *mount =
		&s->files->enforcement->policy.mount;
	const char *home = oci_env_get(&s->files->process->env, "HOME");

	for (size_t i = 0; view && i < view->allowed.n; i++)
		if (files_is_at_or_below(view->allowed.items[i].path, dir))
			return true;
	for (size_t i = 0; i < mount->n; i++)
		if (files_is_at_or_below(mount->items[i].inside, dir))
			return true;
	for (size_t i = 0; i < s->given->n; i++)
		if (files_is_at_or_below(s->given->items[i].point, dir) &&
		    !(view && streq(s->given->items[i].point, dir)))
			return true;
	return files_is_at_or_below(s->files->process->cwd, dir) ||
	       (home && files_is_at_or_below(home, dir));
}

/*
 * In a view paths are those of the host, except for mapped ones; nobody walks
 * directories of programs. /usr/local may contain anything.
 */
static bool is_of_system(const struct enforcement *enforcement,
			 const char *place)
{
	const struct policy_mounts *mount = &enforcement->policy.mount;
	static const char *const places[] = {
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	};

	if (!enforcement->view || files_is_at_or_below(place, LOCAL_SYSTEM))
		return false;
	for (size_t i = 0; i < mount->n; i++)
		if (files_is_at_or_below(place, mount->items[i].inside))
			return false;
	for (size_t i = 0; i < COUNT(places); i++)
		if (files_is_at_or_below(place, places[i]))
			return true;
	return false;
}

/*
 * The root of a container may have sockets of its earlier runs, which it must
 * be able to replace; a walk would cover those.
 */
const char *enforce_walked(const struct enforcement *enforcement,
			   const char *place)
{
	if (streq(place, "/"))
		return NULL;
	if (!is_of_system(enforcement, place))
		return place;
	return files_is_at_or_below(LOCAL_SYSTEM, place) ? LOCAL_SYSTEM : NULL;
}

static bool must_walk(const struct search *s,
		      const struct mountinfo_line *mount)
{
	const struct unix_trees *trees = &s->bound->trees;

	for (size_t i = 0; i < trees->n; i++)
		if (trees->items[i].walked &&
		    trees->items[i].device == mount->device &&
		    mountinfo_rest(mount->root, trees->items[i].path))
			return true;
	return false;
}

static int walk(struct search *s, const struct mountinfo_line *mount)
{
	const char *place = enforce_walked(s->files->enforcement, mount->point);

	if (!place || !has_sockets(mount) || !must_walk(s, mount))
		return 0;
	return unix_walk_mount(&s->walk, place);
}

/* Only the topmost mount at a path is visible. */
static bool is_first(const struct mountinfo *table, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (streq(table->items[k].point, table->items[i].point) &&
		    !is_of_kernel(table->items[k].type))
			return false;
	return true;
}

/* ---- inside: cover them ---- */

/*
 * False if a mount covers it already, by a device node or a dangling link, or
 * if it was removed in the meantime.
 */
static bool is_open(const struct search *s, const char *path)
{
	autoclose int fd = root_open_plain(s->files->root, path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 &&
	       (S_ISSOCK(st.st_mode) || S_ISDIR(st.st_mode));
}

static int cover(const struct search *s, const char *path)
{
	int r = 0;

	if (!is_open(s, path))
		return 0;
	r = masks_check(s->table, s->files->root, path);
	if (r == -ENOENT) {
		err_clear();
		return 0;
	}
	if (r == 0)
		r = masks_cover(s->masks, path);
	/* The kernel mounts nothing on it. */
	if (r == -ENOENT) {
		err_clear();
		return fail(0,
			    "network.unix: cannot cover %s, a mount of a "
			    "socket whose file is removed: unmount it",
			    path);
	}
	return r < 0 ? fail_in(r, "network.unix") : 0;
}

int enforce_sockets(const struct enforce_files *files, struct masks *masks,
		    const struct mountinfo *given,
		    const struct mountinfo *table,
		    const struct enforce_bound *bound)
{
	struct search *s = arena_alloc(files->arena, sizeof *s);
	int r;

	if (!s)
		return -ENOMEM;
	*s = (struct search){
		.walk = { .arena = files->arena,
			  .root = files->root,
			  .is_wanted = is_wanted,
			  .user = s },
		.files = files,
		.masks = masks,
		.given = given,
		.table = table,
		.bound = bound,
	};
	r = list(files, &s->walk.listed);
	for (size_t i = 0; r == 0 && i < bound->sockets.n; i++)
		if (bound->sockets.items[i].path)
			r = add_socket(s, &bound->sockets.items[i]);
	for (size_t i = 0; r == 0 && i < table->n; i++)
		if (is_first(table, i))
			r = walk(s, &table->items[i]);
	for (size_t i = 0; r == 0 && i < s->walk.found.n; i++)
		r = cover(s, s->walk.found.items[i]);
	return r;
}

/* ---- Landlock ---- */

/* Denied paths stay denied; where there are mounts, those enforce it. */
static int split_listed(const struct enforce_files *files,
			const struct files_list *denied,
			struct files_rules *ret)
{
	struct files_list allowed = { 0 }, closed = { 0 };
	struct strings listed;
	int r = list(files, &listed);

	for (size_t i = 0; r == 0 && i < listed.n; i++) {
		const struct files_entry entry = {
			.path = listed.items[i],
			.rights = LANDLOCK_MAY_CONNECT,
			.key = "network.unix",
			.item = listed.items[i],
			.directory = true,
		};

		r = files_add(files->arena, &allowed, &entry);
	}
	for (size_t i = 0; r == 0 && i < denied->n; i++) {
		struct files_entry entry = denied->items[i];

		if (files->enforcement->masks_sockets ||
		    files->enforcement->kind == ENFORCE_SANDBOX ||
		    !(entry.rights & LANDLOCK_MAY_READ))
			continue;
		entry.rights = LANDLOCK_MAY_CONNECT;
		r = files_add(files->arena, &closed, &entry);
	}
	return r < 0 ? r :
		       files_split(files->arena, files->root, &allowed, &closed,
				   ret);
}

int enforce_sockets_allow(const struct enforce_files *files,
			  const struct files_list *denied,
			  struct files_rules *rules)
{
	struct files_rules listed;
	struct landlock_path *items;
	int r = split_listed(files, denied, &listed);

	if (r < 0)
		return r;
	items = arena_grow(files->arena, rules->items, rules->n,
			   rules->n + listed.n + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n; i++)
		if (items[i].rights & files->enforcement->connects)
			items[i].rights |= LANDLOCK_MAY_CONNECT;
	if (listed.n)
		memcpy(items + rules->n, listed.items,
		       listed.n * sizeof *items);
	rules->n += listed.n;
	/* The runtime binds it later. */
	if (files->notifies)
		items[rules->n++] = (struct landlock_path){
			.path = NOTIFY_INSIDE, .rights = LANDLOCK_MAY_CONNECT
		};
	rules->items = items;
	rules->size = rules->n;
	return 0;
}
