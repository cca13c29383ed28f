/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_resolve.c - find the files of bound Unix sockets by their names.
 *
 * A name was right when the socket was bound. It is trusted only if the file
 * has the device and the inode that the kernel knows. /proc/PID/net/unix has
 * neither; then any socket under the name counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/unix_sockets.h"

#define WANTED (STATX_BASIC_STATS | STATX_MNT_ID)

int unix_sockets_add(struct arena *arena, struct unix_sockets *list,
		     const struct unix_socket *socket)
{
	bool wanted = !socket->identified || !list->trees;
	struct unix_socket *items;

	for (size_t i = 0; !wanted && i < list->trees->n; i++)
		wanted = list->trees->items[i].device == socket->device;
	if (!wanted)
		return 0;
	items = arena_room(arena, list->items, list->n, &list->size,
			   sizeof *items);
	if (!items)
		return -ENOMEM;
	list->items = items;
	list->items[list->n] = *socket;
	list->items[list->n].name = arena_strdup(arena, socket->name);
	return list->items[list->n++].name ? 0 : -ENOMEM;
}

static struct mountinfo *read_mounts(const struct unix_resolver *r,
				     pid_t process)
{
	struct mountinfo *mounts = arena_alloc(r->arena, sizeof *mounts);
	char name[32] = "self";

	if (process)
		snprintf(name, sizeof name, "%d", process);
	/* The process is gone, or is not for us to see. */
	if (mounts && mountinfo_read(r->arena, r->proc, name, mounts) < 0)
		err_clear();
	return mounts;
}

const struct mountinfo *unix_resolve_mounts(struct unix_resolver *r,
					    pid_t process)
{
	if (!process) {
		if (!r->own)
			r->own = read_mounts(r, 0);
		return r->own;
	}
	if (!r->last || r->last_process != process) {
		r->last = read_mounts(r, process);
		r->last_process = process;
	}
	return r->last;
}

/* ---- an open file ---- */

/* Get the kernel's path of a descriptor; NULL if it is too long. */
static const char *spell(const struct unix_resolver *r, int dir,
			 const char *name)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(dir, name, text, sizeof text);

	return n <= 0 || n == sizeof text || text[0] != '/' ?
		       NULL :
		       arena_strndup(r->arena, text, (size_t)n);
}

/* A process may have another root; its mounts are relative to that. */
static const char *below_root(const struct unix_resolver *r, pid_t process,
			      const char *path)
{
	char name[32];
	const char *root, *rest;

	snprintf(name, sizeof name, "%d/root", process);
	root = spell(r, r->proc, name);
	rest = root && path ? mountinfo_rest(path, root) : NULL;
	return rest && !*rest ? "/" : rest;
}

/* Of two sockets without an inode under one name, one is elsewhere. */
static bool is_taken(const struct unix_sockets *list, uint32_t device,
		     const char *path)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct unix_socket *other = &list->items[i];

		if (!other->identified && other->path &&
		    other->device == device && streq(other->path, path))
			return true;
	}
	return false;
}

static void found(const struct unix_resolver *r, struct unix_socket *socket,
		  const struct statx *st, const struct mountinfo_line *mount,
		  const char *path)
{
	if (!path ||
	    (!socket->identified && is_taken(r->list, mount->device, path)))
		return;
	socket->device = mount->device;
	socket->path = path;
	socket->state = st->stx_nlink > 1 ? UNIX_LINKED : UNIX_FOUND;
}

bool unix_socket_is(const struct unix_socket *socket, uint32_t device,
		    mode_t mode, uint64_t inode)
{
	return S_ISSOCK(mode) &&
	       (!socket->identified ||
		(device == socket->device && (uint32_t)inode == socket->inode));
}

static bool is_it(const struct unix_socket *socket, const struct statx *st,
		  const struct mountinfo_line *mount)
{
	return unix_socket_is(socket, mount->device, st->stx_mode, st->stx_ino);
}

void unix_resolve_file(struct unix_resolver *r, struct unix_socket *socket,
		       int fd, pid_t process, bool certain)
{
	const struct mountinfo *own = unix_resolve_mounts(r, 0);
	const struct mountinfo_line *mount;
	const char *path;
	struct statx st;
	char name[32];

	if (!own || statx(fd, "", AT_EMPTY_PATH, WANTED, &st) < 0)
		return;
	if (certain && st.stx_nlink == 0) {
		socket->state = UNIX_GONE;
		return;
	}
	snprintf(name, sizeof name, "self/fd/%d", fd);
	path = spell(r, r->proc, name);
	/* A path of another mount namespace looks like one of ours. */
	mount = mountinfo_by_id(own, st.stx_mnt_id);
	if (!mount && process) {
		const struct mountinfo *mounts =
			unix_resolve_mounts(r, process);

		mount = mounts ? mountinfo_by_id(mounts, st.stx_mnt_id) : NULL;
		path = below_root(r, process, path);
	}
	if (mount && path && (certain || is_it(socket, &st, mount)))
		found(r, socket, &st, mount,
		      mountinfo_inner(r->arena, mount, path));
}

/* ---- a name in our own mounts ---- */

/* Many sockets are in one directory, so the last one is remembered. */
static const char *real_dir(struct unix_resolver *r, const char *path,
			    size_t len)
{
	char name[32];

	if (r->dir && strlen(r->dir) == len && strncmp(r->dir, path, len) == 0)
		return r->real_dir;
	r->dir = len ? arena_strndup(r->arena, path, len) : "";
	r->real_dir = NULL;
	if (!r->dir)
		return NULL;

	autoclose int fd =
		open(len ? r->dir : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		snprintf(name, sizeof name, "self/fd/%d", fd);
		r->real_dir = spell(r, r->proc, name);
	}
	return r->real_dir;
}

/*
 * The caller cannot look there. Assume that it is where it was bound; but links
 * and mounts may have led elsewhere, and it may have been renamed.
 */
static void assume(struct unix_resolver *r, struct unix_socket *socket,
		   const char *path)
{
	const struct mountinfo *own = unix_resolve_mounts(r, 0);
	const struct mountinfo_line *mount = own ? mountinfo_of(own, path) :
						   NULL;

	if (!mount || (socket->identified && mount->device != socket->device))
		return;
	socket->path = mountinfo_inner(r->arena, mount, path);
	if (!socket->path)
		return;
	socket->device = mount->device;
	socket->state = UNIX_CLOSED;
}

static void look_up(struct unix_resolver *r, struct unix_socket *socket,
		    const char *path)
{
	const char *slash = strrchr(path, '/'), *dir, *full;
	const struct mountinfo *own = unix_resolve_mounts(r, 0);
	const struct mountinfo_line *mount;
	struct statx st;

	if (!own)
		return;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, WANTED, &st) < 0) {
		if (errno == EACCES)
			assume(r, socket, path);
		return;
	}
	mount = mountinfo_by_id(own, st.stx_mnt_id);
	if (!mount || !is_it(socket, &st, mount))
		return;
	dir = real_dir(r, path, (size_t)(slash - path));
	full = dir ? arena_printf(r->arena, "%s%s", streq(dir, "/") ? "" : dir,
				  slash) :
		     NULL;
	if (full)
		found(r, socket, &st, mount,
		      mountinfo_inner(r->arena, mount, full));
}

/* ---- a name in the mounts of another process ---- */

static void forget(struct unix_socket *socket)
{
	socket->path = NULL;
	socket->state = UNIX_LOST;
}

/*
 * Where the name is in the mounts of the process, and then in ours. Nothing is
 * looked up in directories of that process, which may not answer.
 */
static void translate(struct unix_resolver *r, struct unix_socket *socket)
{
	const struct mountinfo *mounts =
		unix_resolve_mounts(r, socket->process);
	const struct mountinfo *own = unix_resolve_mounts(r, 0);
	const struct mountinfo_line *mount =
		mounts ? mountinfo_of(mounts, socket->name) : NULL;
	const char *inner, *path;

	inner = mount ? mountinfo_inner(r->arena, mount, socket->name) : NULL;
	if (!inner || !own)
		return;
	for (size_t i = 0; socket->state == UNIX_LOST && i < own->n; i++) {
		if (own->items[i].device != mount->device)
			continue;
		path = mountinfo_outer(r->arena, &own->items[i], inner);
		if (path)
			look_up(r, socket, path);
		/* A link led elsewhere, as it may not do for the process. */
		if (socket->path && !streq(socket->path, inner))
			forget(socket);
	}
}

static void resolve_name(struct unix_resolver *r, struct unix_socket *socket)
{
	if (socket->name[0] != '/')
		return;
	/* Without an inode, a name means what it means to its process. */
	if (socket->identified || !socket->process)
		look_up(r, socket, socket->name);
	if (socket->state == UNIX_LOST && socket->process)
		translate(r, socket);
}

/* ---- all ---- */

static bool has_lost(const struct unix_sockets *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].state == UNIX_LOST)
			return true;
	return false;
}

void unix_resolve(struct unix_resolver *r)
{
	for (size_t i = 0; i < r->list->n; i++)
		resolve_name(r, &r->list->items[i]);
	if (has_lost(r->list))
		unix_owners_resolve(r);
}

static bool has_number(const struct unix_sockets *list, uint32_t number)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].number == number)
			return true;
	return false;
}

/* A process may have ended in the meantime. */
static int drop_closed(struct unix_resolver *r)
{
	struct unix_sockets now = { .trees = r->list->trees };
	int result =
		unix_namespaces_list(r->arena, r->proc, r->processes, &now);

	for (size_t i = 0; result == 0 && i < r->list->n; i++) {
		struct unix_socket *socket = &r->list->items[i];

		if (socket->state == UNIX_LOST &&
		    !has_number(&now, socket->number))
			socket->state = UNIX_GONE;
	}
	return result;
}

static bool overlaps(const char *a, const char *b)
{
	return mountinfo_rest(a, b) || mountinfo_rest(b, a);
}

/* The process that bound it sees some part of the tree. */
static bool may_be_in(struct unix_resolver *r, const struct unix_socket *socket,
		      const struct unix_tree *tree)
{
	const struct mountinfo *mounts;

	if (socket->identified)
		return socket->device == tree->device;
	mounts = unix_resolve_mounts(r, socket->process);
	if (!mounts || !mounts->n)
		return true;
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->items[i].device == tree->device &&
		    overlaps(mounts->items[i].root, tree->path))
			return true;
	return false;
}

/* A mount keeps a file whose names are removed. */
static bool is_removed(const struct unix_tree *tree)
{
	return ends_with(tree->path, "//deleted");
}

static void mark(struct unix_resolver *r, struct unix_trees *trees)
{
	for (size_t k = 0; k < trees->n; k++)
		trees->items[k].walked |= is_removed(&trees->items[k]);
	for (size_t i = 0; i < r->list->n; i++) {
		struct unix_socket *socket = &r->list->items[i];

		if (socket->state == UNIX_FOUND || socket->state == UNIX_GONE)
			continue;
		for (size_t k = 0; k < trees->n; k++)
			if (may_be_in(r, socket, &trees->items[k]))
				socket->searched_for = trees->items[k].walked =
					true;
	}
}

/* The kernel lists no sockets, as may happen inside another sandbox. */
static void walk_all(struct unix_trees *trees)
{
	for (size_t i = 0; i < trees->n; i++)
		trees->items[i].walked = true;
}

/* The list may have been made before the trees were known. */
static int list_bound(struct unix_resolver *r)
{
	const struct unix_sockets *bound = r->processes->bound;
	int result = 0;

	if (!bound)
		return unix_namespaces_list(r->arena, r->proc, r->processes,
					    r->list);
	for (size_t i = 0; result == 0 && i < bound->n; i++)
		result = unix_sockets_add(r->arena, r->list, &bound->items[i]);
	return result;
}

int unix_sockets_find(struct arena *arena, int proc,
		      const struct unix_processes *processes,
		      struct unix_trees *trees, struct unix_sockets *ret)
{
	struct unix_sockets list = { .trees = trees };
	struct unix_resolver r = {
		.arena = arena,
		.proc = proc,
		.processes = processes,
		.list = &list,
	};
	int result = 0;

	if (trees->n)
		result = list_bound(&r);
	if (trees->n && result == 0)
		unix_resolve(&r);
	if (result == 0 && has_lost(&list))
		result = drop_closed(&r);
	if (result == -ENOMEM)
		return result;
	if (result < 0) {
		err_clear();
		walk_all(trees);
		list.n = 0;
	}
	mark(&r, trees);
	*ret = list;
	return 0;
}
