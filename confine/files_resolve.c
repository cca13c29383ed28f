/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_resolve.c - resolve presets, patterns and links to existing
 * paths, in a root that is not trusted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/elf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/files.h"
#include "confine/files_place.h"
#include "policy/glob.h"
#include "policy/gpus.h"

#define DEVICE (LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE | LANDLOCK_MAY_IOCTL)

#define SHOWN 200 /* bytes printed of a path */

struct resolver {
	struct arena *arena;
	const struct files_place *place;
	struct policy_context context;
	char *top;		 /* the root's path, as the kernel shows it */
	struct strings projects; /* for denials; found on first use */
	struct files_list *allowed, *denied;
	unsigned int scopes;
	const char *other_home; /* where presets are denied, too; or NULL */
};

/* An item of a list, and what to do with each path it matches. */
struct item {
	struct files_entry entry; /* path: not set yet */
	bool denial;
	bool optional;
	bool matched; /* by a pattern: links are not followed */
};

static bool is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/* Find each link that leads to a denied file; fail if the file has moved. */
static int find_way(struct resolver *v, struct files_entry *entry,
		    const struct stat *st)
{
	struct files_way way;
	struct stat end;
	int r = files_way(v->arena, v->place->root, entry->named, &way);

	if (r < 0)
		return r;
	autoclose int fd = root_open_plain(v->place->root, way.end,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &end) < 0)
		return fail(errno, "open %s, to which the denied path leads",
			    way.end);
	if (end.st_dev != st->st_dev || end.st_ino != st->st_ino)
		return fail(EAGAIN,
			    "%s changed while it was resolved: try again",
			    entry->named);
	entry->steps = way.steps;
	entry->nsteps = way.n;
	return 0;
}

/* True for a file that git does not treat as missing when it is empty. */
static bool is_for_git(const struct files_entry *entry, const char *path,
		       const char *name)
{
	const char *slash = strrchr(path, '/');

	return entry->of_preset && entry->rights & LANDLOCK_MAY_WRITE &&
	       slash && streq(slash + 1, name);
}

/* Git adds every file that it sees in a project, so it must not see these. */
static bool is_unseen(const struct files_entry *entry, const char *path)
{
	return is_for_git(entry, path, ".gitmodules") ||
	       (entry->of_preset && entry->rights & LANDLOCK_MAY_WRITE &&
		streq(entry->item, "@ide-configs"));
}

static int keep(struct resolver *v, const struct item *item, int fd)
{
	struct files_entry entry = item->entry;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return fail(errno, "%s '%s'", entry.key, entry.item);
	if (!item->denial && S_ISLNK(st.st_mode))
		return 0;
	r = entry.path ? 0 :
			 files_path_below(v->arena, v->place, v->top, fd,
					  "the file", &entry.path);
	if (r < 0)
		return fail_in(r, "%s '%s'", entry.key, entry.item);
	if (!item->denial && files_leaves_floor(v->place, &entry, fd))
		return 0;
	if (item->denial && S_ISREG(st.st_mode) && st.st_nlink > 1)
		return fail(0,
			    "%s '%s': %s has %lu hard links, and the others "
			    "would stay accessible",
			    entry.key, entry.item, entry.path,
			    (unsigned long)st.st_nlink);
	entry.directory = S_ISDIR(st.st_mode);
	entry.absent = S_ISSOCK(st.st_mode) && is_unseen(&entry, entry.path);
	if (item->denial && entry.named && !streq(entry.named, entry.path) &&
	    (r = find_way(v, &entry, &st)) < 0)
		return fail_in(r, "%s '%s'", entry.key, entry.item);
	return files_add(v->arena, item->denial ? v->denied : v->allowed,
			 &entry);
}

/*
 * A denied path that does not exist is still denied: follow its links to the
 * last existing directory, so that no file can be created under the name.
 */
static int keep_name(struct resolver *v, const struct item *item,
		     const char *path)
{
	struct files_entry entry = item->entry;
	struct files_way way;
	int r = files_way(v->arena, v->place->root, path, &way);

	if (r < 0)
		return fail_in(r, "%s '%s'", entry.key, entry.item);
	entry.path = way.end;
	entry.named = path;
	entry.directory = true;
	entry.missing = true;
	entry.leaf = way.leaf;
	entry.occupied = !way.missing;
	if (way.missing && way.leaf) {
		entry.absent = is_unseen(&entry, way.end);
		if (is_for_git(&entry, way.end, "commondir"))
			entry.text = FILES_COMMONDIR;
	}
	entry.steps = way.steps;
	entry.nsteps = way.n;
	return files_add(v->arena, v->denied, &entry);
}

/* True also for a dangling link. */
static bool is_there(const struct resolver *v, const char *path)
{
	autoclose int fd = root_open(v->place->root, path,
				     O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0;
}

/*
 * Most allowed paths contain no link, and need not be asked of the kernel.
 * Return 1 if it was kept.
 */
static int add_plain(struct resolver *v, const struct item *item,
		     const char *path)
{
	struct item found = *item;
	autoclose int fd = -1;
	int r;

	if (item->denial || item->matched || !files_is_tidy(path))
		return 0;
	fd = root_open_plain(v->place->root, path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return 0;
	found.entry.named = found.entry.path = path;
	r = keep(v, &found, fd);
	if (r == 0)
		files_open_put(v->place->open, path, &fd);
	return r < 0 ? r : 1;
}

static int add_path(struct resolver *v, const struct item *item,
		    const char *path)
{
	int r = add_plain(v, item, path);

	if (r)
		return r < 0 ? r : 0;

	int nofollow = item->matched && !item->denial ? O_NOFOLLOW : 0;
	autoclose int fd =
		root_open(v->place->root, path, O_PATH | O_CLOEXEC | nofollow);
	bool optional = item->optional && !item->entry.of_preset;
	int error = errno;

	if (fd >= 0) {
		struct item found = *item;

		/* A loader's item is a copy of that of its program. */
		found.entry.path = NULL;
		found.entry.named = path;
		return keep(v, &found, fd);
	}
	if (!is_missing(error))
		return fail(error, "%s '%s'", item->entry.key,
			    item->entry.item);
	if (item->denial &&
	    (is_there(v, path) || (!item->matched && !optional)))
		return keep_name(v, item, path);
	if (item->matched || optional)
		return 0;
	return fail(error, "%s '%s' (write '-%s' if it may be missing)",
		    item->entry.key, item->entry.item, item->entry.item);
}

static int note_walk(struct resolver *v, const char *key, const char *pattern,
		     int64_t us)
{
	struct files_walks *walks = v->place->walks;
	struct files_walk *items;

	if (!walks || !policy_glob_is_deep(pattern))
		return 0;
	items = arena_room(v->arena, walks->items, walks->n, &walks->size,
			   sizeof *items);
	if (!items)
		return -ENOMEM;
	walks->items = items;
	walks->items[walks->n++] = (struct files_walk){ key, pattern, us };
	return 0;
}

static int add_pattern(struct resolver *v, struct item item,
		       const char *pattern)
{
	struct strings found, closed;
	const char *path;
	int64_t begin;
	int r;

	if (!policy_is_glob(pattern)) {
		path = policy_glob_unquote(v->arena, pattern);
		return path ? add_path(v, &item, path) : -ENOMEM;
	}
	begin = now_us();
	r = policy_glob_search(v->arena, v->place->root, pattern, &found,
			       &closed);
	if (r < 0)
		return fail_in(r, "%s '%s'", item.entry.key, item.entry.item);
	r = note_walk(v, item.entry.key, pattern, now_us() - begin);
	item.matched = true;
	for (size_t i = 0; r == 0 && i < found.n; i++)
		r = add_path(v, &item, found.items[i]);
	if (r < 0 || !item.denial || !closed.n)
		return r;
	/*
	 * The directory cannot be searched, so it may contain a match: deny it.
	 */
	log_warning("%s '%s': cannot search %.*s%s (%zu in all), so the whole "
		    "directory is denied",
		    item.entry.key, item.entry.item, SHOWN, closed.items[0],
		    strlen(closed.items[0]) > SHOWN ? "..." : "", closed.n);
	for (size_t i = 0; r == 0 && i < closed.n; i++)
		r = add_path(v, &item, closed.items[i]);
	return r;
}

/* The exceptions of an allowing preset apply to that preset only. */
static int allow_preset(struct resolver *v, struct item item, const char *name)
{
	struct policy_preset preset;
	struct item except;
	int r = policy_path_preset(v->arena, name, &v->context, &preset);

	if (r < 0)
		return fail_in(r, "%s", item.entry.key);
	item.optional = true;
	item.entry.scope = ++v->scopes;
	except = item;
	except.denial = true;
	for (size_t i = 0; r == 0 && i < preset.paths.n; i++)
		r = add_pattern(v, item, preset.paths.items[i]);
	for (size_t i = 0; r == 0 && i < preset.except.n; i++)
		r = add_pattern(v, except, preset.except.items[i]);
	return r;
}

static int find_projects(struct resolver *v)
{
	if (v->projects.n)
		return 0;
	return files_projects(v->arena, v->place, &v->projects);
}

static int deny_in_home(struct resolver *v, struct item item, const char *name,
			const char *home)
{
	struct policy_preset preset, first = { 0 };
	struct policy_context context = v->context;
	int r = find_projects(v);

	context.home = home;
	for (size_t i = 0; r == 0 && (i == 0 || i < v->projects.n); i++) {
		context.project = v->projects.n ? v->projects.items[i] : NULL;
		r = policy_path_preset(v->arena, name, &context, &preset);
		if (r < 0)
			return fail_in(r, "%s", item.entry.key);
		for (size_t k = 0; r == 0 && k < preset.paths.n; k++)
			if (!strings_has(&first.paths, preset.paths.items[k]))
				r = add_pattern(v, item, preset.paths.items[k]);
		if (i == 0)
			first = preset;
	}
	return r;
}

/*
 * Deny it in every project and home; paths outside of projects are added once.
 */
static int deny_preset(struct resolver *v, struct item item, const char *name)
{
	const char *home = v->context.home;
	int r;

	item.optional = true;
	item.entry.of_preset = true;
	r = deny_in_home(v, item, name, home);
	return r == 0 && v->other_home && home && !streq(v->other_home, home) ?
		       deny_in_home(v, item, name, v->other_home) :
		       r;
}

/* Match at any depth; the outermost project contains all others. */
static int deny_name(struct resolver *v, struct item item, const char *pattern)
{
	const char *project, *path;
	int r = find_projects(v);

	if (r < 0)
		return r;
	if (!v->projects.n)
		return fail(
			0,
			"%s '%s': the project directory is unknown, so only an "
			"absolute path can be denied",
			item.entry.key, pattern);
	project = policy_glob_quote(v->arena,
				    v->projects.items[v->projects.n - 1]);
	path = project ? arena_printf(v->arena, "%s/**/%s", project, pattern) :
			 NULL;
	return path ? add_pattern(v, item, path) : -ENOMEM;
}

static int add_item(struct resolver *v, struct item item, const char *text)
{
	item.entry.item = text;
	if (text[0] == '@')
		return item.denial ? deny_preset(v, item, text + 1) :
				     allow_preset(v, item, text + 1);
	item.optional = text[0] == '-';
	text += item.optional;
	return text[0] == '/' ? add_pattern(v, item, text) :
				deny_name(v, item, text);
}

/* ---- what programs need to start ---- */

static int add_loader_of(struct resolver *v, const struct files_entry *program)
{
	char header[ELF_INTERPRETER], name[ELF_INTERPRETER];
	struct item item = { .entry = *program, .optional = true };
	autoclose int fd =
		root_open_plain(v->place->root, program->path,
				O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *path;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	n = pread(fd, header, sizeof header, 0);
	if (n <= 0)
		return 0;
	elf_interpreter(fd, header, (size_t)n, name);
	if (name[0] != '/' || !files_is_loader(v->place->root, name))
		return 0;
	item.entry.loader = true;
	path = arena_strdup(v->arena, name);
	return path ? add_path(v, &item, path) : -ENOMEM;
}

/* For a directory, add the usual loaders instead of looking at its programs. */
static int add_known_loaders(struct resolver *v,
			     const struct files_entry *directory)
{
	static const char *const known[] = {
		"/lib*/ld-*.so.*",
		"/lib/*/ld-*.so.*",
		"/usr/lib*/ld-*.so.*",
		"/usr/lib/*/ld-*.so.*",
	};

	for (size_t i = 0; i < COUNT(known); i++) {
		struct item item = { .entry = *directory, .optional = true };
		struct strings found;
		int r = policy_glob_expand(v->arena, v->place->root, known[i],
					   &found);

		item.entry.loader = true;
		for (size_t k = 0; r == 0 && k < found.n; k++)
			if (files_is_loader(v->place->root, found.items[k]))
				r = add_path(v, &item, found.items[k]);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_loaders(struct resolver *v, size_t first)
{
	bool any_directory = false;
	size_t end = v->allowed->n;

	for (size_t i = first; i < end; i++) {
		/* Adding reallocates the list, so copy the entry. */
		struct files_entry entry = v->allowed->items[i];
		int r = 0;

		if (!entry.directory)
			r = add_loader_of(v, &entry);
		else if (!any_directory)
			r = add_known_loaders(v, &entry);
		any_directory = any_directory || entry.directory;
		if (r < 0)
			return r;
	}
	return 0;
}

struct usual {
	const char *path;
	dev_t device; /* 0: any */
	long type;    /* 0: a device */
};

/* The image may contain any file under these names. */
static int add_if_usual(struct resolver *v, const struct item *item,
			const struct usual *usual)
{
	autoclose int fd = root_open_plain(v->place->root, usual->path,
					   O_PATH | O_CLOEXEC);
	struct item found = *item;
	bool plain = fd >= 0, fits;
	int r = 0;

	if (fd < 0 && errno != ENOENT)
		fd = root_open(v->place->root, usual->path, O_PATH | O_CLOEXEC);
	fits = fd >= 0 && (usual->type ? files_is_on(fd, usual->type) :
					 files_is_device(fd, usual->device));
	if (!fits || (usual->type == PROC_SUPER_MAGIC && !v->place->own_pids))
		return 0;
	if (plain)
		found.entry.path = usual->path;
	r = keep(v, &found, fd);
	if (r == 0 && plain)
		files_open_put(v->place->open, usual->path, &fd);
	return r;
}

/* A new /dev has the devices, and a console only with a terminal. */
static int add_new(struct resolver *v, const struct item *item,
		   const struct usual *usual)
{
	struct files_entry entry = item->entry;

	if (usual->type && !streq(usual->path, "/dev/pts"))
		return 0;
	entry.path = usual->path;
	entry.directory = usual->type;
	return files_add(v->arena, v->allowed, &entry);
}

static int add_always(struct resolver *v)
{
	const struct usual rows[] = {
		{ "/dev/null", makedev(1, 3), 0 },
		{ "/dev/zero", makedev(1, 5), 0 },
		{ "/dev/full", makedev(1, 7), 0 },
		{ "/dev/random", makedev(1, 8), 0 },
		{ "/dev/urandom", makedev(1, 9), 0 },
		{ "/dev/tty", makedev(5, 0), 0 },
		{ "/dev/console", 0, DEVPTS_SUPER_MAGIC },
		{ "/dev/ptmx", makedev(5, 2), 0 },
		{ "/dev/pts", 0, DEVPTS_SUPER_MAGIC },
		{ "/proc", 0, PROC_SUPER_MAGIC },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct item item = { .entry = { .rights = DEVICE,
						.key = "default devices",
						.item = rows[i].path } };
		int r = v->place->new_dev ? add_new(v, &item, &rows[i]) :
					    add_if_usual(v, &item, &rows[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Add the devices that limits.gpu_devices allows. */
static int add_gpus(struct resolver *v, const struct policy *policy)
{
	const char *const *nodes = policy_gpu_nodes;
	struct strings found;
	int r = 0;

	for (size_t i = 0; r == 0 && nodes[i]; i++) {
		struct item item = { .entry = { .rights = DEVICE,
						.key = "limits.gpu_devices",
						.item = nodes[i] } };

		r = policy_glob_expand(v->arena, v->place->root, nodes[i],
				       &found);
		for (size_t k = 0; r == 0 && k < found.n; k++) {
			const char *path = found.items[k];
			autoclose int fd =
				root_open(v->place->root, path,
					  O_PATH | O_NOFOLLOW | O_CLOEXEC);

			if (fd >= 0 && files_is_device(fd, 0) &&
			    policy_has_gpu(policy, policy_gpu_of(path)))
				r = keep(v, &item, fd);
		}
	}
	return r;
}

int files_resolve_layer(struct arena *arena, const struct policy *policy,
			const struct files_place *place,
			struct files_list *ret_allowed,
			struct files_list *ret_denied)
{
	const struct {
		enum policy_key key;
		const struct strings *list;
	} keys[] = {
		{ KEY_READ, &policy->read },
		{ KEY_WRITE, &policy->write },
		{ KEY_WRITE_ONLY, &policy->write_only },
		{ KEY_EXECUTE, &policy->execute },
		{ KEY_DENY, &policy->deny },
		{ KEY_DENY_READ, &policy->deny_read },
		{ KEY_DENY_WRITE, &policy->deny_write },
		{ KEY_DENY_EXECUTE, &policy->deny_execute },
	};
	struct files_list allowed = { 0 }, denied = { 0 };
	struct resolver v = { .arena = arena,
			      .place = place,
			      .context = files_context(place),
			      .allowed = &allowed,
			      .denied = &denied,
			      .other_home = policy->floor ?
						    policy->floor->home :
						    NULL };
	int r = files_kernel_path(arena, place, place->root,
				  "the container's root file system", &v.top);

	for (size_t i = 0; r == 0 && i < COUNT(keys); i++) {
		const struct item item = {
			.entry = { .rights = files_rights(policy, keys[i].key),
				   .key = policy_key_name(keys[i].key) },
			.denial = keys[i].key >= KEY_DENY,
		};
		size_t first = allowed.n;

		for (size_t k = 0; r == 0 && k < keys[i].list->n; k++)
			r = add_item(&v, item, keys[i].list->items[k]);
		if (r == 0 && keys[i].key == KEY_EXECUTE)
			r = add_loaders(&v, first);
	}
	if (r == 0)
		r = add_always(&v);
	if (r == 0 && policy->set[KEY_GPU_DEVICES])
		r = add_gpus(&v, policy);
	if (r < 0)
		return r;
	*ret_allowed = allowed;
	*ret_denied = denied;
	return 0;
}
