/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/placeholder_registry.c - keep a directory for each placeholder. */
#include "runtime/enforce/placeholders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/files.h"
#include "oci/oci.h"
#include "oci/state_root.h"

#define ID PLACEHOLDER_ID
#define UPPER "upperdir="

int placeholder_look(int fd, struct statx *ret)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW,
		     STATX_BASIC_STATS | STATX_BTIME, ret);
}

void placeholder_place(const struct statx *st, char ret[static ID])
{
	snprintf(ret, ID, "%x:%x-%jx", st->stx_dev_major, st->stx_dev_minor,
		 (uintmax_t)st->stx_ino);
}

void placeholder_id(const struct statx *st, char ret[static ID])
{
	bool has_birth = st->stx_mask & STATX_BTIME;

	snprintf(ret, ID, "%x:%x-%jx-%jx.%x", st->stx_dev_major,
		 st->stx_dev_minor, (uintmax_t)st->stx_ino,
		 has_birth ? (uintmax_t)st->stx_btime.tv_sec : 0,
		 has_birth ? st->stx_btime.tv_nsec : 0);
}

/*
 * A user with write access could choose what we remove; one with read access
 * could take the lock.
 */
static int check(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail(errno,
			    "inspect %s, which records the empty files made "
			    "for denied names",
			    path);
	if (S_ISLNK(st.st_mode))
		return fail(0,
			    "%s: is a symbolic link (sandlock makes a "
			    "directory there): remove it",
			    path);
	if (!S_ISDIR(st.st_mode))
		return fail(0,
			    "%s: is not a directory (sandlock makes one "
			    "there): remove it",
			    path);
	if (st.st_uid != geteuid())
		return fail(0,
			    "%s: is owned by user %u, not by user %u: remove "
			    "it",
			    path, st.st_uid, geteuid());
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return fail(0,
			    "%s: is accessible to others (mode %04o): change "
			    "the mode to 0700",
			    path, st.st_mode & 07777);
	return 0;
}

/* ---- in a workdir ---- */

/* The options escape colons and backslashes. */
static char *unescape(struct arena *arena, const char *text)
{
	char *copy = arena_alloc(arena, strlen(text) + 1), *to = copy;

	for (; copy && *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		*to++ = *text;
	}
	return copy;
}

const char *placeholder_upper(struct arena *arena, const struct oci_spec *spec,
			      const char *dir)
{
	for (size_t i = spec->nmounts; i-- > 0;) {
		const struct oci_mount *m = &spec->mounts[i];
		const char *upper;

		if (!files_is_at_or_below(dir, m->destination))
			continue;
		if (!m->type || !streq(m->type, "overlay"))
			return NULL;
		for (size_t k = 0; k < m->options.n; k++) {
			if (!starts_with(m->options.items[k], UPPER))
				continue;
			upper = unescape(arena,
					 m->options.items[k] + strlen(UPPER));
			return upper ? arena_printf(
					       arena, "%s%s", upper,
					       dir + strlen(m->destination)) :
				       NULL;
		}
	}
	return NULL;
}

int placeholder_staged(const char *upper, const char *name,
		       char ret_parent[static PLACEHOLDER_ID],
		       struct statx *ret)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	autoclose int dir = open(upper, O_DIRECTORY | flags);
	autoclose int fd = dir < 0 ? -1 : openat(dir, name, flags);
	struct statx parent;

	if (fd < 0 || placeholder_look(dir, &parent) < 0 ||
	    placeholder_look(fd, ret) < 0)
		return fail(errno,
			    "find %s/%s, the empty file made for a denied name",
			    upper, name);
	placeholder_place(&parent, ret_parent);
	return 0;
}

/* ---- the registry ---- */

int placeholder_registry_open(void)
{
	autoclose int place = -1, fd = -1;
	char path[PATH_MAX];
	int r;

	r = state_root(STATE_PLACEHOLDERS, path);
	if (r == 0)
		r = state_root_make_base(path);
	if (r < 0)
		return r;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return fail(errno,
			    "create %s, which records the empty files made for "
			    "denied names",
			    path);
	place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (place < 0)
		return fail(errno,
			    "open %s, which records the empty files made for "
			    "denied names",
			    path);
	r = check(place, path);
	if (r < 0)
		return r;
	fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno,
			    "open %s, which records the empty files made for "
			    "denied names",
			    path);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return fail(errno,
				    "lock %s, which records the empty files "
				    "made for denied names",
				    path);
	return take_fd(&fd);
}

bool placeholder_registry_has(int registry, const char *id)
{
	return faccessat(registry, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int open_entry(int registry, const char *id)
{
	return openat(registry, id,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int find_owner(int state, char ret[static ID])
{
	struct statx st;

	if (placeholder_look(state, &st) < 0)
		return -1;
	placeholder_id(&st, ret);
	return 0;
}

/* Name the file of the registry, as the descriptor has no path. */
static int fail_record(int err, const char *verb, const char *id,
		       const char *owner)
{
	char path[PATH_MAX] = "";

	(void)state_root(STATE_PLACEHOLDERS, path);
	return fail(err,
		    "%s %s/%s%s%s, which records an empty file made for a "
		    "denied name",
		    verb, path, id, *owner ? "/" : "", owner);
}

int placeholder_registry_take(int registry, const char *id, int state,
			      bool fresh)
{
	autoclose int dir = -1, fd = -1;
	char owner[ID];
	int r = 0;

	/* Without birth times, an earlier file may have had the same ID. */
	if (fresh && placeholder_registry_has(registry, id))
		r = io_remove_tree_at(registry, id);
	if (r < 0)
		return r;
	if (find_owner(state, owner) < 0)
		return fail(errno,
			    "inspect the state directory of the sandbox");
	if (mkdirat(registry, id, 0700) < 0 && errno != EEXIST)
		return fail_record(errno, "create", id, "");
	dir = open_entry(registry, id);
	if (dir < 0)
		return fail_record(errno, "open", id, "");
	fd = openat(dir, owner, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	return fd < 0 ? fail_record(errno, "create", id, owner) : 0;
}

static bool is_empty(int fd)
{
	autoclosedir DIR *dir = fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		close(fd);
		return false;
	}
	do
		e = readdir(dir);
	while (e && (streq(e->d_name, ".") || streq(e->d_name, "..")));
	return !e;
}

bool placeholder_registry_drop(int registry, const char *id, int state)
{
	autoclose int dir = open_entry(registry, id);
	char owner[ID];

	if (dir < 0 || find_owner(state, owner) < 0 ||
	    (unlinkat(dir, owner, 0) < 0 && errno != ENOENT))
		return false;
	return is_empty(take_fd(&dir));
}

void placeholder_registry_forget(int registry, const char *id)
{
	(void)unlinkat(registry, id, AT_REMOVEDIR);
}
