/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/unix_sockets.c - find Unix sockets of other processes and
 * cover them.
 *
 * Neither a read-only mount nor Landlock before version 9 prevents connections.
 * Sockets of others are in mounts of the host when the container is created;
 * later ones are the workload's own. A directory that cannot be listed may
 * contain sockets. From version 9 on Landlock also denies those that are made
 * later, and all of them without mounts.
 */
#include "runtime/enforce/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/files.h"
#include "confine/masks.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/files.h"
#include "runtime/enforce/view.h"

#define MOST_SOCKETS 10000
#define LOCAL_SYSTEM "/usr/local"
/* The search keeps one descriptor per level, and does deeper levels later. */
#define MOST_LEVELS 64
#define ENTRIES 2048
#define TOO_DEEP 1 /* the path would exceed PATH_MAX */
#define SHOWN 200  /* bytes of a long path in a warning */

struct paths {
	const char **items;
	size_t n, size;
};

struct search {
	const struct enforce_files *files;
	struct masks *masks;
	const struct mountinfo *given; /* without our own mounts */
	const struct mountinfo *table;
	struct strings listed; /* without links */
	struct paths found;
	struct paths pending; /* directories to search later */
	size_t level;
	size_t ndeep; /* directories covered because they are too deep */
	char path[PATH_MAX];
};

/* Listed sockets must exist, like any path of a policy. */
static int list(const struct enforce_files *files, struct strings *ret)
{
	const struct strings *given = &files->enforcement->policy.unix_;
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

static bool is_listed(const struct search *s)
{
	for (size_t i = 0; i < s->listed.n; i++)
		if (files_is_at_or_below(s->path, s->listed.items[i]))
			return true;
	return false;
}

/* Add the current path of the search. */
static int add_to(struct paths *list, const struct search *s)
{
	if (list->n == list->size) {
		size_t size = list->size ? 2 * list->size : 64;
		const char **grown = arena_grow(s->files->arena, list->items,
						list->n, size, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		list->items = grown;
		list->size = size;
	}
	list->items[list->n] = arena_strdup(s->files->arena, s->path);
	return list->items[list->n++] ? 0 : -ENOMEM;
}

/* Remember a socket, or a directory whose contents are unknown. */
static int cover_later(struct search *s)
{
	if (is_listed(s))
		return 0;
	if (s->found.n == MOST_SOCKETS)
		return fail(0,
			    "network.unix: more than %d Unix sockets outside "
			    "the sandbox cannot be covered: list their "
			    "directories in filesystem.deny",
			    MOST_SOCKETS);
	return add_to(&s->found, s);
}

static int search_below(struct search *s, int fd);

/* At the last level, leave the directory for later to save descriptors. */
static int search_dir(struct search *s, int dir, const char *name)
{
	int fd = sys_openat2(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0,
			     KERNEL_RESOLVE_NO_XDEV);
	int r;

	if (fd >= 0 && s->level == MOST_LEVELS) {
		close(fd);
		return add_to(&s->pending, s);
	}
	s->level++;
	r = search_below(s, fd);
	s->level--;
	return r;
}

static int type_of(int dir, const struct kernel_dirent *entry)
{
	struct stat st;

	if (entry->type != DT_UNKNOWN)
		return entry->type;
	if (fstatat(dir, entry->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return IFTODT(st.st_mode);
}

static int search_entry(struct search *s, int dir,
			const struct kernel_dirent *entry)
{
	size_t len = strlen(s->path), top = streq(s->path, "/") ? 0 : len;
	int type = type_of(dir, entry), r = 0;

	if ((type != DT_SOCK && type != DT_DIR) || streq(entry->name, ".") ||
	    streq(entry->name, ".."))
		return 0;
	if (top + strlen(entry->name) + 2 > sizeof s->path)
		return TOO_DEEP;
	s->path[top] = '/';
	strcpy(s->path + top + 1, entry->name);
	r = type == DT_SOCK ? cover_later(s) : search_dir(s, dir, entry->name);
	s->path[len] = '\0';
	return r;
}

/*
 * The workload cannot connect to sockets in a directory that it cannot enter,
 * but it can change the mode of a directory that it owns.
 */
static bool may_enter(const struct search *s)
{
	autoclose int fd = root_open_plain(s->files->root, s->path,
					   O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	return (fstat(fd, &st) == 0 && st.st_uid == geteuid()) ||
	       faccessat(fd, ".", X_OK, AT_EACCESS) == 0 || errno != EACCES;
}

/* True if it contains a path that must stay visible. */
static bool is_wanted(const struct search *s)
{
	const struct view *view = s->files->enforcement->view;
	const struct policy_mounts *mount =
		&s->files->enforcement->policy.mount;
	const char *home = oci_env_get(&s->files->process->env, "HOME");

	for (size_t i = 0; view && i < view->allowed.n; i++)
		if (files_is_at_or_below(view->allowed.items[i].path, s->path))
			return true;
	for (size_t i = 0; i < mount->n; i++)
		if (files_is_at_or_below(mount->items[i].inside, s->path))
			return true;
	for (size_t i = 0; i < s->given->n; i++)
		if (files_is_at_or_below(s->given->items[i].point, s->path) &&
		    !(view && streq(s->given->items[i].point, s->path)))
			return true;
	return files_is_at_or_below(s->files->process->cwd, s->path) ||
	       (home && files_is_at_or_below(home, s->path));
}

/*
 * A process that knows the name of a socket in there can connect to it, so
 * cover the whole directory. Fail if something in it must stay visible.
 */
static int closed_directory(struct search *s)
{
	if (!may_enter(s) || is_listed(s))
		return 0;
	if (is_wanted(s))
		return fail(0,
			    "network.unix: %s can be entered but not listed, "
			    "so sockets in it cannot be found and covered: "
			    "list it in network.unix or in filesystem.deny",
			    s->path);
	return cover_later(s);
}

/* Paths in it exceed PATH_MAX, so cover the directory as a whole. */
static int deep_directory(struct search *s)
{
	if (is_wanted(s))
		return fail(ENAMETOOLONG,
			    "network.unix: search for sockets in %s", s->path);
	if (s->ndeep++ == 0)
		log_warning(
			"network.unix: cannot search for sockets in %.*s..., "
			"which is nested too deep, so the directory is covered",
			SHOWN, s->path);
	return cover_later(s);
}

/* We are out of descriptors or memory; the directory may well be open. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/*
 * Skip other mounts, which are searched separately, and files that are gone.
 * This does not use DIR, as there may be thousands of directories, most of them
 * empty.
 */
static int search_below(struct search *s, int fd)
{
	_Alignas(struct kernel_dirent) char entries[ENTRIES];
	autoclose int dir = fd;
	long n;

	if (fd < 0 && (errno == EXDEV || errno == ENOENT || errno == ENOTDIR ||
		       errno == ELOOP))
		return 0;
	if (fd < 0 && is_shortage(errno))
		return fail(errno, "network.unix: search for sockets in %s",
			    s->path);
	if (fd < 0)
		return closed_directory(s);
	while ((n = syscall(SYS_getdents64, dir, entries, sizeof entries)) > 0)
		for (long at = 0; at < n;) {
			const struct kernel_dirent *entry =
				(const void *)(entries + at);
			int r = search_entry(s, dir, entry);

			if (r != 0)
				return r == TOO_DEEP ? deep_directory(s) : r;
			at += entry->len;
		}
	/* The directory was removed in the meantime. */
	return n < 0 && errno != ENOENT ? closed_directory(s) : 0;
}

/* Search the directories that were left for later, each from the root. */
static int search_pending(struct search *s)
{
	int r = 0;

	while (r == 0 && s->pending.n) {
		strcpy(s->path, s->pending.items[--s->pending.n]);
		r = search_below(s, root_open_plain(s->files->root, s->path,
						    O_RDONLY | O_DIRECTORY |
							    O_CLOEXEC));
	}
	return r;
}

static int search_mount(struct search *s, const char *place)
{
	autoclose int fd = root_open_plain(s->files->root, place,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	/*
	 * It is below another mount, or covered. If a directory above it is
	 * closed, closed_directory decides when the search gets there.
	 */
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
		       errno == EACCES))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "network.unix: open %s", place);
	if (strlen(place) >= sizeof s->path)
		return fail(ENAMETOOLONG,
			    "network.unix: search for sockets in %s", place);
	strcpy(s->path, place);
	if (S_ISSOCK(st.st_mode))
		return cover_later(s);
	if (!S_ISDIR(st.st_mode))
		return 0;
	r = search_below(s,
			 openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return r < 0 ? r : search_pending(s);
}

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

/*
 * In a view paths are those of the host, except for mapped ones; directories of
 * programs contain no sockets. /usr/local may contain anything.
 */
static bool is_of_system(const struct search *s, const char *place)
{
	const struct policy_mounts *mount =
		&s->files->enforcement->policy.mount;
	static const char *const places[] = {
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	};

	if (!s->files->enforcement->view ||
	    files_is_at_or_below(place, LOCAL_SYSTEM))
		return false;
	for (size_t i = 0; i < mount->n; i++)
		if (files_is_at_or_below(place, mount->items[i].inside))
			return false;
	for (size_t i = 0; i < COUNT(places); i++)
		if (files_is_at_or_below(place, places[i]))
			return true;
	return false;
}

static int search_place(struct search *s, const struct mountinfo_line *mount)
{
	if (streq(mount->point, "/") || is_of_kernel(mount->type))
		return 0;
	if (!is_of_system(s, mount->point))
		return search_mount(s, mount->point);
	if (files_is_at_or_below(LOCAL_SYSTEM, mount->point))
		return search_mount(s, LOCAL_SYSTEM);
	return 0;
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

/* True if a mount already covers the socket with a dangling link. */
static bool is_left_out(const struct search *s, const char *path)
{
	autoclose int fd = root_open_plain(s->files->root, path,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

/* The socket may have been removed in the meantime. */
static int cover(const struct search *s, const char *path)
{
	int r = masks_check(s->table, s->files->root, path);

	if (r == -ENOENT) {
		err_clear();
		return 0;
	}
	if (r == 0 && !is_left_out(s, path))
		r = masks_cover(s->masks, path);
	return r < 0 ? fail_in(r, "network.unix") : 0;
}

int enforce_sockets(const struct enforce_files *files, struct masks *masks,
		    const struct mountinfo *given,
		    const struct mountinfo *table)
{
	struct search *s = arena_alloc(files->arena, sizeof *s);
	int r;

	if (!s)
		return -ENOMEM;
	s->files = files;
	s->masks = masks;
	s->given = given;
	s->table = table;
	r = list(files, &s->listed);
	for (size_t i = 0; r == 0 && i < table->n; i++)
		if (is_first(table, i))
			r = search_place(s, &table->items[i]);
	for (size_t i = 0; r == 0 && i < s->found.n; i++)
		r = cover(s, s->found.items[i]);
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
