/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/trace_calls.c - the table of system calls with paths or
 * addresses.
 */
#include "runtime/diagnose/trace_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/util.h"
#include "confine/calls.h"
#include "confine/landlock.h"

#define HERE (-1) /* no argument: relative to the current directory */

enum way {
	NONE,
	READ,  /* or check that it exists */
	WRITE, /* change an existing file */
	MAKE,  /* a new name */
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
	{ "stat", { { READ, HERE, 0, 0, 0 } } },
	{ "lstat", { { READ, HERE, 0, 0, LINK } } },
	{ "newfstatat", { { READ, 0, 1, 3, AT_FLAGS } } },
	{ "statx", { { READ, 0, 1, 2, AT_FLAGS } } },
	{ "access", { { ACCESS, HERE, 0, 1, 0 } } },
	{ "faccessat", { { ACCESS, 0, 1, 2, 0 } } },
	{ "faccessat2", { { ACCESS, 0, 1, 2, 0 } } },
	{ "readlink", { { READ, HERE, 0, 0, LINK } } },
	{ "readlinkat", { { READ, 0, 1, 0, LINK } } },
	{ "statfs", { { READ, HERE, 0, 0, 0 } } },
	{ "chdir", { { READ, HERE, 0, 0, 0 } } },
	{ "getxattr", { { READ, HERE, 0, 0, 0 } } },
	{ "lgetxattr", { { READ, HERE, 0, 0, LINK } } },
	{ "listxattr", { { READ, HERE, 0, 0, 0 } } },
	{ "llistxattr", { { READ, HERE, 0, 0, LINK } } },
	{ "inotify_add_watch", { { READ, HERE, 1, 0, 0 } } },
	{ "execve", { { EXECUTE, HERE, 0, 0, 0 } } },
	{ "execveat", { { EXECUTE, 0, 1, 0, 0 } } },
	{ "truncate", { { WRITE, HERE, 0, 0, 0 } } },
	{ "mkdir", { { MAKE, HERE, 0, 0, LINK } } },
	{ "mkdirat", { { MAKE, 0, 1, 0, LINK } } },
	{ "mknod", { { MAKE, HERE, 0, 0, LINK } } },
	{ "mknodat", { { MAKE, 0, 1, 0, LINK } } },
	{ "rmdir", { { WRITE, HERE, 0, 0, LINK } } },
	{ "unlink", { { WRITE, HERE, 0, 0, LINK } } },
	{ "unlinkat", { { WRITE, 0, 1, 0, LINK } } },
	{ "symlink", { { MAKE, HERE, 1, 0, LINK } } },
	{ "symlinkat", { { MAKE, 1, 2, 0, LINK } } },
	{ "link", { { READ, HERE, 0, 0, LINK }, { MAKE, HERE, 1, 0, LINK } } },
	{ "linkat", { { READ, 0, 1, 0, LINK }, { MAKE, 2, 3, 0, LINK } } },
	{ "rename",
	  { { WRITE, HERE, 0, 0, LINK }, { MAKE, HERE, 1, 0, LINK } } },
	{ "renameat", { { WRITE, 0, 1, 0, LINK }, { MAKE, 2, 3, 0, LINK } } },
	{ "renameat2", { { WRITE, 0, 1, 0, LINK }, { MAKE, 2, 3, 0, LINK } } },
	{ "chmod", { { WRITE, HERE, 0, 0, 0 } } },
	{ "fchmodat", { { WRITE, 0, 1, 0, 0 } } },
	{ "fchmodat2", { { WRITE, 0, 1, 3, AT_FLAGS } } },
	{ "chown", { { WRITE, HERE, 0, 0, 0 } } },
	{ "lchown", { { WRITE, HERE, 0, 0, LINK } } },
	{ "fchownat", { { WRITE, 0, 1, 4, AT_FLAGS } } },
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
	if (mode != O_WRONLY)
		ret->rights |= LANDLOCK_MAY_READ;
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

static void look(const struct place *place, const uint64_t args[6],
		 uint64_t flags, struct trace_target *ret)
{
	*ret = (struct trace_target){
		.dir = place->dir == HERE ? AT_FDCWD : (int)args[place->dir],
		.path = args[place->path],
		.link = place->how == LINK ||
			(place->how == AT_FLAGS &&
			 args[place->extra] & AT_SYMLINK_NOFOLLOW),
		.makes = place->way == MAKE,
	};
	switch (place->way) {
	case NONE:
		break;
	case READ:
		ret->rights = LANDLOCK_MAY_READ;
		break;
	case WRITE:
	case MAKE:
		ret->rights = LANDLOCK_MAY_WRITE;
		break;
	case EXECUTE:
		ret->rights = LANDLOCK_MAY_EXECUTE;
		break;
	case OPEN:
		open_with(args[place->extra], ret);
		break;
	case OPEN2:
		open_with(flags, ret);
		break;
	case ACCESS:
		ret->rights = rights_of_mode(args[place->extra]);
		break;
	case ADDRESS:
		ret->address = true;
		ret->size = args[place->extra];
		break;
	}
}

int trace_decode(const struct trace_call *call, const uint64_t args[6],
		 uint64_t flags, struct trace_target ret[TRACE_TARGETS])
{
	int n = 0;

	for (; n < TRACE_TARGETS && call->places[n].way != NONE; n++)
		look(&call->places[n], args, flags, &ret[n]);
	return n;
}
