/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/trace_calls.c - the table of system calls with paths or
 * addresses.
 */
#include "runtime/denials/trace_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/util.h"
#include "confine/calls.h"
#include "confine/landlock.h"

#define HERE (-1) /* no argument: relative to the current directory */

enum way {
	NONE,
	READ,	/* its content */
	SEE,	/* whether it exists, and what it is */
	ENTER,	/* a directory */
	WRITE,	/* change an existing file */
	OWN,	/* likewise; only its owner may */
	CHOWN,	/* likewise; the next two arguments are the new ones */
	MAKE,	/* a new name, or a file of this name */
	NAME,	/* a new name */
	REMOVE, /* a name that exists */
	EXECUTE,
	OPEN,	 /* depends on the flags */
	OPEN2,	 /* depends on the flags in memory */
	ACCESS,	 /* depends on the mode */
	ADDRESS, /* the next argument is its size */
};

#define LINK 1	   /* a link at the end is not followed */
#define AT_FLAGS 2 /* the last number: an argument with AT_SYMLINK_NOFOLLOW */

/* The numbers are indexes of arguments. */
struct place {
	enum way way;
	int dir, path;
	int extra; /* flags, mode */
	int how;
};

struct trace_call {
	const char *name;
	struct place places[TRACE_TARGETS];
};

static const struct trace_call calls[] = {
	{ "open", { { OPEN, HERE, 0, 1, 0 } } },
	{ "openat", { { OPEN, 0, 1, 2, 0 } } },
	{ "openat2", { { OPEN2, 0, 1, 2, 0 } } },
	{ "creat", { { MAKE, HERE, 0, 0, 0 } } },
	{ "stat", { { SEE, HERE, 0, 0, 0 } } },
	{ "lstat", { { SEE, HERE, 0, 0, LINK } } },
	{ "newfstatat", { { SEE, 0, 1, 3, AT_FLAGS } } },
	{ "statx", { { SEE, 0, 1, 2, AT_FLAGS } } },
	{ "access", { { ACCESS, HERE, 0, 1, 0 } } },
	{ "faccessat", { { ACCESS, 0, 1, 2, 0 } } },
	{ "faccessat2", { { ACCESS, 0, 1, 2, 0 } } },
	{ "readlink", { { SEE, HERE, 0, 0, LINK } } },
	{ "readlinkat", { { SEE, 0, 1, 0, LINK } } },
	{ "statfs", { { SEE, HERE, 0, 0, 0 } } },
	{ "chdir", { { ENTER, HERE, 0, 0, 0 } } },
	{ "getxattr", { { READ, HERE, 0, 0, 0 } } },
	{ "lgetxattr", { { READ, HERE, 0, 0, LINK } } },
	{ "listxattr", { { READ, HERE, 0, 0, 0 } } },
	{ "llistxattr", { { READ, HERE, 0, 0, LINK } } },
	{ "inotify_add_watch", { { READ, HERE, 1, 0, 0 } } },
	{ "execve", { { EXECUTE, HERE, 0, 0, 0 } } },
	{ "execveat", { { EXECUTE, 0, 1, 0, 0 } } },
	{ "truncate", { { WRITE, HERE, 0, 0, 0 } } },
	{ "mkdir", { { NAME, HERE, 0, 0, LINK } } },
	{ "mkdirat", { { NAME, 0, 1, 0, LINK } } },
	{ "mknod", { { NAME, HERE, 0, 0, LINK } } },
	{ "mknodat", { { NAME, 0, 1, 0, LINK } } },
	{ "rmdir", { { REMOVE, HERE, 0, 0, LINK } } },
	{ "unlink", { { REMOVE, HERE, 0, 0, LINK } } },
	{ "unlinkat", { { REMOVE, 0, 1, 0, LINK } } },
	{ "symlink", { { NAME, HERE, 1, 0, LINK } } },
	{ "symlinkat", { { NAME, 1, 2, 0, LINK } } },
	{ "link", { { SEE, HERE, 0, 0, LINK }, { NAME, HERE, 1, 0, LINK } } },
	{ "linkat", { { SEE, 0, 1, 0, LINK }, { NAME, 2, 3, 0, LINK } } },
	{ "rename",
	  { { REMOVE, HERE, 0, 0, LINK }, { NAME, HERE, 1, 0, LINK } } },
	{ "renameat", { { REMOVE, 0, 1, 0, LINK }, { NAME, 2, 3, 0, LINK } } },
	{ "renameat2", { { REMOVE, 0, 1, 0, LINK }, { NAME, 2, 3, 0, LINK } } },
	{ "chmod", { { OWN, HERE, 0, 0, 0 } } },
	{ "fchmodat", { { OWN, 0, 1, 0, 0 } } },
	{ "fchmodat2", { { OWN, 0, 1, 3, AT_FLAGS } } },
	{ "chown", { { CHOWN, HERE, 0, 0, 0 } } },
	{ "lchown", { { CHOWN, HERE, 0, 0, LINK } } },
	{ "fchownat", { { CHOWN, 0, 1, 4, AT_FLAGS } } },
	{ "utime", { { WRITE, HERE, 0, 0, 0 } } },
	{ "utimes", { { WRITE, HERE, 0, 0, 0 } } },
	{ "futimesat", { { WRITE, 0, 1, 0, 0 } } },
	{ "utimensat", { { WRITE, 0, 1, 3, AT_FLAGS } } },
	{ "setxattr", { { WRITE, HERE, 0, 0, 0 } } },
	{ "lsetxattr", { { WRITE, HERE, 0, 0, LINK } } },
	{ "removexattr", { { WRITE, HERE, 0, 0, 0 } } },
	{ "lremovexattr", { { WRITE, HERE, 0, 0, LINK } } },
	{ "connect", { { ADDRESS, 0, 1, 2, 0 } } },
	{ "bind", { { ADDRESS, 0, 1, 2, 0 } } },
	{ "sendto", { { ADDRESS, 0, 4, 5, 0 } } },
};

struct strings trace_calls_names(void)
{
	static const char *names[COUNT(calls) + 1];

	for (size_t i = 0; i < COUNT(calls); i++)
		names[i] = calls[i].name;
	return (struct strings){ names, COUNT(calls) };
}

void trace_map_make(uint32_t arch, struct trace_map *ret)
{
	*ret = (struct trace_map){ .arch = arch };
	for (size_t i = 0; i < COUNT(calls); i++) {
		int number = call_number(arch, calls[i].name);

		if (number >= 0 && number < TRACE_MOST_CALLS)
			ret->calls[number] = &calls[i];
	}
}

const struct trace_call *trace_find(const struct trace_map *map,
				    uint64_t number)
{
	return number < TRACE_MOST_CALLS ? map->calls[number] : NULL;
}

const char *trace_call_name(const struct trace_call *call)
{
	return call->name;
}

uint64_t trace_flags_at(const struct trace_call *call, const uint64_t args[6])
{
	return call->places[0].way == OPEN2 ? args[2] : 0;
}

static void open_with(uint64_t flags, struct trace_target *ret)
{
	uint64_t mode = flags & O_ACCMODE;

	ret->link = flags & O_NOFOLLOW;
	if (flags & O_PATH) {
		ret->rights = LANDLOCK_MAY_READ;
		return;
	}
	if (mode != O_WRONLY) {
		ret->rights |= LANDLOCK_MAY_READ;
		ret->access |= R_OK;
	}
	if (mode != O_RDONLY || flags & O_TRUNC)
		ret->access |= W_OK;
	if (mode != O_RDONLY || flags & (O_CREAT | O_TRUNC))
		ret->rights |= LANDLOCK_MAY_WRITE;
	ret->makes = flags & O_CREAT;
}

static uint32_t rights_of_mode(uint64_t mode)
{
	if (mode & W_OK)
		return LANDLOCK_MAY_WRITE;
	return mode & X_OK ? LANDLOCK_MAY_EXECUTE : LANDLOCK_MAY_READ;
}

/* Set the new owner; the path's argument is before its uid and gid. */
static void chown_with(const struct place *place, const uint64_t args[6],
		       struct trace_target *ret)
{
	ret->owner = ret->chown = true;
	ret->uid = (uint32_t)args[place->path + 1];
	ret->gid = (uint32_t)args[place->path + 2];
}

static void look_at_rights(const struct place *place, const uint64_t args[6],
			   uint64_t flags, struct trace_target *ret)
{
	switch (place->way) {
	case OPEN:
		open_with(args[place->extra], ret);
		break;
	case OPEN2:
		open_with(flags, ret);
		break;
	case ACCESS:
		ret->rights = rights_of_mode(args[place->extra]);
		ret->access = (int)args[place->extra] & (R_OK | W_OK | X_OK);
		break;
	case CHOWN:
		chown_with(place, args, ret);
		break;
	case ADDRESS:
		ret->address = true;
		ret->size = args[place->extra];
		break;
	default:
		break;
	}
}

static void look(const struct place *place, const uint64_t args[6],
		 uint64_t flags, struct trace_target *ret)
{
	static const struct {
		uint32_t rights;
		int access;
	} ways[] = {
		[READ] = { LANDLOCK_MAY_READ, R_OK },
		[SEE] = { LANDLOCK_MAY_READ, F_OK },
		[ENTER] = { LANDLOCK_MAY_READ, X_OK },
		[WRITE] = { LANDLOCK_MAY_WRITE, W_OK },
		[OWN] = { LANDLOCK_MAY_WRITE, F_OK },
		[CHOWN] = { LANDLOCK_MAY_WRITE, F_OK },
		[MAKE] = { LANDLOCK_MAY_WRITE, W_OK },
		[NAME] = { LANDLOCK_MAY_WRITE, F_OK },
		[REMOVE] = { LANDLOCK_MAY_WRITE, F_OK },
		[EXECUTE] = { LANDLOCK_MAY_EXECUTE, X_OK },
		[ADDRESS] = { 0, F_OK },
	};

	*ret = (struct trace_target){
		.dir = place->dir == HERE ? AT_FDCWD : (int)args[place->dir],
		.path = args[place->path],
		.rights = ways[place->way].rights,
		.access = ways[place->way].access,
		.link = place->how == LINK ||
			(place->how == AT_FLAGS &&
			 args[place->extra] & AT_SYMLINK_NOFOLLOW),
		.makes = place->way == MAKE || place->way == NAME,
		.name = place->way == NAME || place->way == REMOVE,
		.owner = place->way == OWN,
	};
	look_at_rights(place, args, flags, ret);
}

int trace_decode(const struct trace_call *call, const uint64_t args[6],
		 uint64_t flags, struct trace_target ret[TRACE_TARGETS])
{
	int n = 0;

	for (; n < TRACE_TARGETS && call->places[n].way != NONE; n++)
		look(&call->places[n], args, flags, &ret[n]);
	return n;
}
