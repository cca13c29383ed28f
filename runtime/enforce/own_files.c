/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/own_files.c - what a sandbox shows that is not the host's:
 * files in /etc, and staged workdirs.
 */
#include "runtime/enforce/view.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/enforce/view.h"

#define HOSTNAME "/etc/hostname"
#define HOSTS "/etc/hosts"
#define RESOLVER "/etc/resolv.conf"
#define LOOPBACK "127.0.0.1"
/* The sandbox sees a larger file unchanged. */
#define MAX_HOSTS (4UL << 20)
#define NO_HOSTS LOOPBACK "\tlocalhost\n::1\tlocalhost\n"

struct owner {
	struct arena *arena;
	const struct view_input *input;
	int proc;
	int root;
	struct view *view;
};

static bool is_denied(const struct owner *o, const char *path)
{
	const struct files_list *denied = &o->view->denied;

	for (size_t i = 0; i < denied->n; i++) {
		const struct files_entry *entry = &denied->items[i];

		if (entry->rights & LANDLOCK_MAY_READ &&
		    (files_is_at_or_below(path, entry->path) ||
		     (entry->named && files_is_at_or_below(path, entry->named))))
			return true;
	}
	return false;
}

static bool is_brought(const struct owner *o, const char *path)
{
	const struct policy_mounts *mount = &o->input->policy->mount;

	for (size_t i = 0; i < mount->n; i++)
		if (files_is_at_or_below(path, mount->items[i].inside) &&
		    !policy_mount_is_absent(&mount->items[i]))
			return true;
	return false;
}

static bool is_behind_link(const struct view *view, const char *path)
{
	for (size_t i = 0; i < view->nlinks; i++)
		if (files_is_at_or_below(path, view->links[i].path))
			return true;
	return false;
}

static bool may_read(const struct view *view, const char *path)
{
	for (size_t i = 0; i < view->rules.n; i++)
		if (view->rules.items[i].rights & LANDLOCK_MAY_READ &&
		    files_is_at_or_below(path, view->rules.items[i].path))
			return true;
	return false;
}

/*
 * Find where a file goes: *ret_path is NULL if it is not made, *ret_shown is
 * true if the view shows the host's file there.
 */
static int find_place(const struct owner *o, const char *path,
		      const char **ret_path, bool *ret_shown)
{
	const struct files_place place = { .proc = o->proc, .root = o->root };
	bool shown = view_shows(o->view, path);
	const char *real = path;
	int r = 0;

	*ret_path = NULL;
	if (is_brought(o, path) || is_denied(o, path))
		return 0;
	if (shown || is_behind_link(o->view, path)) {
		r = files_real_path(o->arena, &place, path, &real);
		shown = r == 0 && real && view_shows(o->view, real);
	}
	if (r < 0 || !real || is_denied(o, real) ||
	    (shown && !may_read(o->view, real)))
		return r;
	*ret_path = real;
	*ret_shown = shown;
	return 0;
}

static bool is_file(const struct owner *o, const char *path)
{
	autoclose int fd =
		root_open_plain(o->root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* *ret is NULL if the file cannot be read or is not a text file. */
static int read_shown(const struct owner *o, const char *path, char **ret)
{
	autoclose int fd =
		root_open_plain(o->root, path,
				O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	size_t len;
	int r;

	*ret = NULL;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (unsigned long)st.st_size > MAX_HOSTS)
		return 0;
	r = io_read_all(o->arena, fd, MAX_HOSTS, ret, &len);
	if (r == 0 && strlen(*ret) != len)
		*ret = NULL;
	return r < 0 ? fail_in(r, "%s", path) : 0;
}

/* Our file replaces the host's, which then needs no bind. */
static bool drop_bind(struct view *view, const char *path)
{
	for (size_t i = 0; i < view->nbinds; i++) {
		if (!streq(view->binds[i].path, path))
			continue;
		view->nbinds--;
		memmove(&view->binds[i], &view->binds[i + 1],
			(view->nbinds - i) * sizeof view->binds[i]);
		return true;
	}
	return false;
}

static int add(const struct owner *o, struct own_file *file)
{
	struct view *view = o->view;

	if (drop_bind(view, file->path))
		file->covers = view_shows(view, file->path);
	view->own[view->nown++] = *file;
	return file->covers ? 0 : view_let_read(o->arena, view, file->path);
}

static int add_hostname(const struct owner *o)
{
	struct own_file file = { .text = arena_printf(o->arena, "%s\n",
						      o->input->name) };
	int r = find_place(o, HOSTNAME, &file.path, &file.covers);

	if (r < 0 || !file.path || (file.covers && !is_file(o, file.path)))
		return r;
	return file.text ? add(o, &file) : -ENOMEM;
}

/* A name in /etc/hosts cannot have spaces, and '#' begins a comment. */
static bool is_word(const char *name)
{
	for (const char *p = name; *p; p++)
		if (isspace((unsigned char)*p) || iscntrl((unsigned char)*p) ||
		    *p == '#')
			return false;
	return true;
}

static int add_hosts(const struct owner *o)
{
	struct own_file file = { 0 };
	char *shown = NULL;
	int r = find_place(o, HOSTS, &file.path, &file.covers);

	if (r >= 0 && file.path && file.covers)
		r = read_shown(o, file.path, &shown);
	if (r < 0)
		return r;
	if (!file.path || (file.covers && !shown) || !is_word(o->input->name))
		return !is_set(o->input->hosts) ?
			       0 :
			       fail(0,
				    "network.allow: names in rules require " HOSTS
				    " of the sandbox, which the "
				    "policy denies or mounts: allow it, or "
				    "write addresses instead of names");
	/* Put them first, as the first line with a name wins. */
	file.text = arena_printf(o->arena, "%s" LOOPBACK "\t%s\n%s",
				 o->input->hosts ? o->input->hosts : "",
				 o->input->name, shown ? shown : NO_HOSTS);
	return file.text ? add(o, &file) : -ENOMEM;
}

static int add_resolver(const struct owner *o)
{
	struct own_file file = { .text = o->input->resolver };
	int r = find_place(o, RESOLVER, &file.path, &file.covers);

	if (r < 0)
		return r;
	if (!file.path || (file.covers && !is_file(o, file.path)))
		return fail(0, "network.allow: names that are resolved inside "
			       "require " RESOLVER " of the sandbox, which is "
			       "missing, or which the policy denies or mounts: "
			       "allow it, or list names without '*'");
	return add(o, &file);
}

int own_files_add(struct arena *arena, const struct view_input *input, int proc,
		  struct view *view)
{
	const char *top = *view->prefix ? view->prefix : "/";
	autoclose int root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct owner o = {
		.arena = arena,
		.input = input,
		.proc = proc,
		.root = root,
		.view = view,
	};
	int r;

	if (root < 0)
		return fail(errno, "open the root of the sandbox, %s", top);
	r = add_hostname(&o);
	if (r == 0)
		r = add_hosts(&o);
	return r < 0 || !input->resolver ? r : add_resolver(&o);
}

/* ---- config.workdir ---- */

/* A workdir is listed in filesystem.write, or below what is listed there. */
int view_add_staged(const struct strings *dirs, struct view_bind *all,
		    size_t *n)
{
	size_t listed = *n;

	for (size_t i = 0; i < dirs->n; i++) {
		bool may_write = false;

		for (size_t k = 0; k < listed; k++)
			may_write |= all[k].writable &&
				     files_is_at_or_below(dirs->items[i],
							  all[k].path);
		if (!may_write)
			return fail(0,
				    "config.workdir '%s': another key denies "
				    "writing there: remove one of them",
				    dirs->items[i]);
		all[(*n)++] = (struct view_bind){
			.path = dirs->items[i],
			.source = dirs->items[i],
			.writable = true,
			.directory = true,
			.staged = true,
		};
	}
	return 0;
}

/* Through another path, changes would reach the workdir itself. */
int view_check_staged(const struct view *view, const struct strings *dirs)
{
	for (size_t i = 0; i < view->nbinds; i++) {
		const struct view_bind *bind = &view->binds[i];

		if (bind->tmpfs || bind->staged ||
		    streq(bind->path, bind->source))
			continue;
		for (size_t k = 0; k < dirs->n; k++)
			if ((files_is_at_or_below(bind->source,
						  dirs->items[k]) ||
			     files_is_at_or_below(dirs->items[k],
						  bind->source)))
				return fail(0,
					    "config.workdir '%s' and "
					    "filesystem.mount '%s': the mount "
					    "would show the workdir unstaged: "
					    "remove one of them",
					    dirs->items[k], bind->path);
	}
	return 0;
}
