/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/view.c - make the binds and links for the paths of a policy.
 */
#include "runtime/enforce/view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/root.h"
#include "base/util.h"
#include "policy/glob.h"
#include "runtime/enforce/spec.h"

struct viewer {
	struct arena *arena;
	const struct view_input *input;
	int proc;
	int root;
	struct view *view;
};

/* ---- lists ---- */

/* A sandbox has its own /proc and /dev; the host's are never shown. */
static int deny_kernel(struct viewer *v, struct files_list *denied)
{
	static const char *const names[] = { "/proc", "/dev" };

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct files_entry entry = {
			.path = names[i],
			.rights = ~0U,
			.key = "the sandbox's own",
			.item = names[i],
			.directory = true,
			.left_out = true,
		};
		int r = files_add(v->arena, denied, &entry);

		if (r < 0)
			return r;
	}
	return 0;
}

static struct files_place place_of(const struct viewer *v)
{
	return (struct files_place){
		.proc = v->proc,
		.root = v->root,
		.home = v->input->home,
		.project = v->input->project,
		.env = v->input->env,
		.new_dev = true,
	};
}

static int resolve(struct viewer *v)
{
	struct files_place place = place_of(v);
	struct view *view = v->view;
	struct files_list denied;
	int r;

	place.walks = &view->walks;
	/* A staged workdir is another directory than the host's. */
	if (!*view->prefix && !v->input->workdirs.n)
		place.open = &view->open;
	r = files_resolve(v->arena, v->input->policy, &place, &view->allowed,
			  &view->denied);
	if (r >= 0)
		r = files_carve(v->arena, &view->allowed, &view->denied,
				&view->carves);
	if (r < 0)
		return r;
	denied = view->denied;
	if ((r = deny_kernel(v, &denied)) < 0)
		return r;
	return files_split(v->arena, v->root, &view->allowed, &denied,
			   &view->rules);
}

/* ---- binds ---- */

static int by_path(const void *a, const void *b)
{
	const struct view_bind *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	/* Of two with the same path, the one that allows more comes first. */
	if (order == 0)
		order = y->tmpfs - x->tmpfs + y->staged - x->staged;
	return order ? order : y->writable - x->writable;
}

static bool is_listed(const struct files_entry *entry)
{
	return entry->key && starts_with(entry->key, "filesystem.");
}

/* In a tmpfs only what is listed below it is the host's. */
static bool is_listed_below(const struct view *view, const char *path,
			    const char *tmpfs)
{
	for (size_t i = 0; i < view->allowed.n; i++) {
		const struct files_entry *entry = &view->allowed.items[i];

		if (is_listed(entry) && !streq(entry->path, tmpfs) &&
		    files_is_at_or_below(entry->path, tmpfs) &&
		    files_is_at_or_below(path, entry->path))
			return true;
	}
	return false;
}

/* Rights add up, so a read-only path below a writable one stays writable. */
static bool is_covered(const struct view *view, const struct view_bind *bind)
{
	for (size_t i = view->nbinds; i-- > 0;) {
		const struct view_bind *above = &view->binds[i];

		if (!files_is_at_or_below(bind->path, above->path))
			continue;
		if (bind->tmpfs || bind->staged)
			return false;
		return above->tmpfs ?
			       !is_listed_below(view, bind->path, above->path) :
			       above->writable || !bind->writable;
	}
	return false;
}

static const char *source_of(const struct viewer *v, const char *path)
{
	const char *prefix = v->view->prefix;

	return *prefix ? arena_printf(v->arena, "%s%s", prefix, path) : path;
}

static int add_rule(struct arena *arena, struct files_rules *rules,
		    const char *path, uint32_t rights)
{
	struct landlock_path *grown = arena_grow(arena, rules->items, rules->n,
						 rules->n + 1, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	grown[rules->n++] = (struct landlock_path){
		.path = path,
		.rights = rights,
	};
	rules->items = grown;
	rules->size = rules->n;
	return 0;
}

int view_let_read(struct arena *arena, struct view *view, const char *path)
{
	return add_rule(arena, &view->rules, path, LANDLOCK_MAY_READ);
}

static int allow(struct viewer *v, const char *path, bool writable)
{
	uint32_t rights = LANDLOCK_MAY_READ |
			  (writable ? LANDLOCK_MAY_WRITE : 0);

	if (!policy_has(v->input->policy, KEY_EXECUTE))
		rights |= LANDLOCK_MAY_EXECUTE;
	return add_rule(v->arena, &v->view->rules, path, rights);
}

static bool overlaps(const char *a, const char *b)
{
	return files_is_at_or_below(a, b) || files_is_at_or_below(b, a);
}

static int refuse_denied(const char *key, const char *item, const char *place)
{
	return fail(0,
		    "%s '%s' and filesystem.mount '%s': paths below a mount "
		    "cannot be denied, so mount a directory without it",
		    key, item, place);
}

/* An item without a match on the host may match a mapped path. */
static int check_items(const struct viewer *v, const char *place)
{
	const struct policy *policy = v->input->policy;
	const struct {
		enum policy_key key;
		const struct strings *items;
	} lists[] = {
		{ KEY_DENY, &policy->deny },
		{ KEY_DENY_READ, &policy->deny_read },
		{ KEY_DENY_WRITE, &policy->deny_write },
		{ KEY_DENY_EXECUTE, &policy->deny_execute },
	};
	const struct files_place at = place_of(v);
	struct strings projects;
	int r = files_projects(v->arena, &at, &projects);

	if (r < 0)
		return r;
	for (size_t k = 0; k < COUNT(lists); k++)
		for (size_t i = 0; i < lists[k].items->n; i++) {
			const char *item = lists[k].items->items[i];
			const char *start = projects.items[projects.n - 1];

			if (item[0] == '@')
				continue;
			if (strchr(item, '/'))
				start = policy_glob_start(v->arena,
							  item + (item[0] ==
								  '-'));
			if (!start)
				return -ENOMEM;
			if (overlaps(start, place))
				return refuse_denied(policy_key_name(
							     lists[k].key),
						     item, place);
		}
	return 0;
}

/* True if a mount at place would hide a link that leads to the denied file. */
static bool is_led_over(const struct files_entry *entry, const char *place)
{
	for (size_t i = 0; i < entry->nsteps; i++)
		if (files_is_at_or_below(entry->steps[i].path, place))
			return true;
	return false;
}

/* Denied paths were resolved on the host, not in mapped directories. */
static int check_denied(const struct viewer *v, const char *place)
{
	const struct files_list *denied = &v->view->denied;

	for (size_t i = 0; i < denied->n; i++) {
		const struct files_entry *entry = &denied->items[i];

		if (entry->scope == 0 &&
		    (overlaps(entry->path, place) ||
		     (entry->named && overlaps(entry->named, place)) ||
		     is_led_over(entry, place)))
			return refuse_denied(entry->key, entry->item, place);
	}
	return check_items(v, place);
}

/* Check the path as given, and without links. */
static int check_place(const struct viewer *v, const char *place)
{
	const struct files_place at = { .proc = v->proc, .root = v->root };
	const char *real;
	int r = files_real_path(v->arena, &at, place, &real);

	if (r == 0)
		r = check_denied(v, place);
	return r < 0 || !real ? r : check_denied(v, real);
}

/* Mount them over any file of that name. */
static int add_mounts(struct viewer *v, struct view_bind *all, size_t *n)
{
	const struct policy_mounts *mounts = &v->input->policy->mount;

	for (size_t i = 0; i < mounts->n; i++) {
		const struct policy_mount *m = &mounts->items[i];
		autofree char *real = NULL;
		struct stat st;
		int r = check_place(v, m->inside);

		if (r < 0)
			return r;
		if (policy_mount_is_absent(m))
			continue;
		real = realpath(m->host, NULL);
		if (!real || stat(real, &st) < 0)
			return fail(errno, "filesystem.mount '%s'", m->host);
		if (!S_ISDIR(st.st_mode))
			return fail(ENOTDIR, "filesystem.mount '%s'", m->host);
		r = enforce_check_mount(m, real, &st);
		if (r < 0)
			return r;
		all[(*n)++] = (struct view_bind){
			.path = m->inside,
			.source = arena_strdup(v->arena, real),
			.writable = !m->readonly,
			.directory = true,
		};
		if (!all[*n - 1].source ||
		    allow(v, m->inside, !m->readonly) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- filesystem.tmpfs ---- */

/* A private path hides what a preset denies below it; else they conflict. */
static int check_tmpfs(const struct viewer *v, const char *path)
{
	const struct files_list *allowed = &v->view->allowed;
	const struct files_list *denied = &v->view->denied;

	for (size_t i = 0; i < allowed->n; i++)
		if (is_listed(&allowed->items[i]) &&
		    streq(allowed->items[i].path, path))
			return fail(0,
				    "filesystem.tmpfs '%s' and %s '%s': a "
				    "directory is either private or the "
				    "host's: remove one of them",
				    path, allowed->items[i].key,
				    allowed->items[i].item);
	for (size_t i = 0; i < denied->n; i++) {
		const struct files_entry *d = &denied->items[i];

		if (!d->scope && !d->implied && overlaps(d->path, path) &&
		    !(d->of_preset && files_is_at_or_below(d->path, path)) &&
		    !view_shows(v->view, d->path))
			return fail(0,
				    "%s '%s' and filesystem.tmpfs '%s': a "
				    "private directory has nothing of the host, "
				    "and cannot be in a denied one: remove one "
				    "of them",
				    d->key, d->item, path);
	}
	return 0;
}

/* A mount point cannot be made in a directory of the host. */
static int check_point(const struct viewer *v, const struct view_bind *all,
		       size_t n, const char *path)
{
	const struct view_bind *above = NULL;
	autoclose int fd = -1;

	for (size_t i = 0; i < n; i++)
		if (files_is_at_or_below(path, all[i].path))
			above = &all[i];
	if (!above || above->tmpfs)
		return 0;
	fd = root_open(v->root, path,
		       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(errno,
			    "filesystem.tmpfs '%s': must be a directory, since "
			    "%s of the host is shown there",
			    path, above->path);
	return 0;
}

static int add_tmpfs(struct viewer *v, struct view_bind *all, size_t *n)
{
	const struct strings *items = &v->input->policy->tmpfs;
	int r = 0;

	for (size_t i = 0; r == 0 && i < items->n; i++) {
		struct policy_tmpfs tmpfs;

		r = policy_tmpfs(v->arena, items->items[i], &tmpfs);
		if (r == 0)
			r = check_point(v, all, *n, tmpfs.path);
		if (r < 0)
			return r;
		all[(*n)++] = (struct view_bind){
			.path = tmpfs.path,
			.source = SOURCE_TMPFS,
			.writable = true,
			.directory = true,
			.tmpfs = true,
			.size = tmpfs.size,
		};
		r = allow(v, tmpfs.path, true);
	}
	return r;
}

static int make_binds(struct viewer *v)
{
	const struct files_rules *rules = &v->view->rules;
	struct view_bind *all =
		arena_array(v->arena,
			    rules->n + v->input->policy->mount.n +
				    v->input->policy->tmpfs.n +
				    v->input->workdirs.n + 1,
			    sizeof *all);
	size_t n = 0;
	int r;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n; i++) {
		const struct landlock_path *rule = &rules->items[i];

		if (!(rule->rights & (LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE)))
			continue;
		all[n++] = (struct view_bind){
			.path = rule->path,
			.source = source_of(v, rule->path),
			.writable = rule->rights & LANDLOCK_MAY_WRITE,
			.directory = rule->directory,
		};
		if (!all[n - 1].source)
			return -ENOMEM;
	}
	if ((r = view_add_staged(&v->input->workdirs, all, &n)) < 0 ||
	    (r = add_tmpfs(v, all, &n)) < 0)
		return r;
	qsort(all, n, sizeof *all, by_path);
	v->view->binds = all;
	for (size_t i = 0; i < n; i++)
		if (!is_covered(v->view, &all[i]))
			v->view->binds[v->view->nbinds++] = all[i];
	for (size_t i = 0; r == 0 && i < v->view->nbinds; i++)
		if (all[i].tmpfs)
			r = check_tmpfs(v, all[i].path);
	r = r < 0 ? r : add_mounts(v, all, &v->view->nbinds);
	return r < 0 ? r : view_check_staged(v->view, &v->input->workdirs);
}

/* The bind that shows a path; NULL if none does. */
static const struct view_bind *find_above(const struct view *view,
					  const char *path)
{
	for (size_t i = view->nbinds; i-- > 0;)
		if (files_is_at_or_below(path, view->binds[i].path))
			return &view->binds[i];
	return NULL;
}

bool view_may_write(const struct view *view, const char *path)
{
	const struct view_bind *above = find_above(view, path);

	return above && above->writable;
}

bool view_is_on_top(const struct view_bind *binds, size_t nbinds, size_t i,
		    const char *path)
{
	for (size_t k = i + 1; k < nbinds; k++)
		if (files_is_at_or_below(path, binds[k].path))
			return false;
	return true;
}

/* ---- links ---- */

bool view_shows(const struct view *view, const char *path)
{
	const struct view_bind *above = find_above(view, path);

	return above && !above->tmpfs;
}

bool view_has(const struct view *view, const char *path)
{
	for (size_t i = 0; i < view->nbinds; i++)
		if (files_is_at_or_below(view->binds[i].path, path))
			return true;
	return streq(path, "/") || view_shows(view, path);
}

static bool has_link(const struct view *view, const char *path)
{
	for (size_t i = 0; i < view->nlinks; i++)
		if (streq(view->links[i].path, path))
			return true;
	return false;
}

static int add_link(struct viewer *v, const char *path, const char *target)
{
	struct view *view = v->view;
	struct files_link *links;

	if (view_shows(view, path) || has_link(view, path))
		return 0;
	links = arena_grow(v->arena, view->links, view->nlinks,
			   view->nlinks + 1, sizeof *links);
	if (!links)
		return -ENOMEM;
	view->links = links;
	links[view->nlinks].path = arena_strdup(v->arena, path);
	links[view->nlinks].target = arena_strdup(v->arena, target);
	if (!links[view->nlinks].path || !links[view->nlinks].target)
		return -ENOMEM;
	view->nlinks++;
	return 0;
}

static int add_links(struct viewer *v, const struct files_way *way)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < way->n; i++)
		if (way->steps[i].target)
			r = add_link(v, way->steps[i].path,
				     way->steps[i].target);
	return r;
}

/* Keep every link in a listed path as a link. */
static int keep_links(struct viewer *v, const char *named)
{
	struct files_way way;
	int r;

	if (has_link(v->view, named))
		return 0;
	r = files_way(v->arena, v->root, named, &way);
	return r < 0 ? r : add_links(v, &way);
}

static int keep_top_link(struct viewer *v, int dir, const char *name)
{
	char path[NAME_MAX + 2], target[PATH_MAX], end[PATH_MAX + 1];
	struct files_way way;
	int r;

	snprintf(path, sizeof path, "/%s", name);
	if (files_top_link(v->root, dir, name, target, end))
		return view_has(v->view, end) ? add_link(v, path, target) : 0;
	r = files_way(v->arena, v->root, path, &way);
	if (r == 0 && !way.missing && !way.occupied &&
	    view_has(v->view, way.end))
		r = add_links(v, &way);
	return r;
}

/* Keep links such as /bin if their target is shown. */
static int keep_top_links(struct viewer *v)
{
	autoclose int fd =
		root_open(v->root, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclosedir DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!entries)
		return fail(errno, "open / to find the paths of the policy");
	(void)take_fd(&fd);
	while (r == 0 && (entry = readdir(entries)))
		if (entry->d_type == DT_LNK)
			r = keep_top_link(v, dirfd(entries), entry->d_name);
	return r;
}

static int make_links(struct viewer *v)
{
	const struct files_rules *rules = &v->view->rules;
	const struct files_list *allowed = &v->view->allowed;
	int r = keep_top_links(v);

	/* A path that equals its resolved path contains no links. */
	for (size_t i = 0; r == 0 && i < allowed->n; i++)
		if (allowed->items[i].named &&
		    !streq(allowed->items[i].named, allowed->items[i].path))
			r = keep_links(v, allowed->items[i].named);
	for (size_t i = 0; r == 0 && i < rules->nlinks; i++)
		r = add_link(v, rules->links[i].path, rules->links[i].target);
	return r;
}

int view_make(struct arena *arena, const struct view_input *input, int proc,
	      struct view *ret)
{
	const char *chroot = input->policy->chroot,
		   *top = chroot ? chroot : "/";
	autofree char *real = realpath(top, NULL);
	autoclose int root =
		real ? open(real, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	struct viewer v = {
		.arena = arena,
		.input = input,
		.proc = proc,
		.root = root,
		.view = ret,
	};
	int r;

	if (root < 0)
		return fail(errno, "filesystem.chroot '%s'", top);
	*ret = (struct view){
		.prefix = arena_strdup(arena, streq(real, "/") ? "" : real),
	};
	if (!ret->prefix)
		return -ENOMEM;
	r = resolve(&v);
	if (r >= 0)
		r = make_binds(&v);
	return r < 0 ? r : make_links(&v);
}
