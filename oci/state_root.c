/* SPDX-License-Identifier: Apache-2.0 */
/* oci/state_root.c - choose the state directory if --root is not given. */
#include "oci/state_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/open.h"
#include "base/proc.h"
#include "base/util.h"

static char base[PATH_MAX]; /* chosen once, see find_base() */
static bool is_below_tmp;   /* the base is /tmp/sandlock-UID */

/*
 * Root of a user namespace is an ordinary user outside. Rootless podman runs us
 * like that, and sets XDG_RUNTIME_DIR to the user's own directory.
 */
static bool in_userns(void)
{
	bool answer;

	if (proc_in_userns(-1, &answer) < 0) {
		err_clear();
		return false;
	}
	return answer;
}

static bool is_own_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid();
}

/* Choose the base; make nothing. */
static int find_base(void)
{
	const char *given = getenv("XDG_RUNTIME_DIR");
	bool has_given = given && given[0] == '/';
	bool is_root = geteuid() == 0;
	int n;

	if (is_root && (!has_given || !in_userns()))
		n = snprintf(base, PATH_MAX, "/run");
	else if (has_given)
		n = snprintf(base, PATH_MAX, "%s", given);
	else
		n = snprintf(base, PATH_MAX, "/run/user/%u", geteuid());
	if (n < 0 || n >= PATH_MAX) {
		*base = '\0';
		return fail(0,
			    "XDG_RUNTIME_DIR is longer than %d bytes, the "
			    "maximum for a path",
			    PATH_MAX);
	}
	is_below_tmp = !has_given && !is_root && !is_own_dir(base);
	if (is_below_tmp)
		snprintf(base, PATH_MAX, "/tmp/sandlock-%u", geteuid());
	return 0;
}

/*
 * Open the base below /tmp with O_PATH; -ENOENT if it is missing. In /tmp
 * another user may have made the directory first. Nobody else can replace it
 * once it is ours.
 */
static int open_base(void)
{
	autoclose int fd = open(base, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return fail(errno, "open the state directory %s", base);
	if (fstat(fd, &st) < 0)
		return fail(errno, "examine the state directory %s", base);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return take_fd(&fd);
	return fail(0,
		    "%s: must be a directory accessible only to user %u: "
		    "remove it, or set XDG_RUNTIME_DIR",
		    base, geteuid());
}

/* The part of the path below a base in /tmp, else NULL. */
static const char *part_below_tmp(const char *path)
{
	size_t len = strlen(base);

	return is_below_tmp && strncmp(path, base, len) == 0 &&
			       path[len] == '/' && path[len + 1] ?
		       path + len + 1 :
		       NULL;
}

static const char *const names[] = {
	[STATE_SANDBOXES] = "sandlock",
	[STATE_CONTAINERS] = "sandlock-oci",
	[STATE_PLACEHOLDERS] = "sandlock-placeholders",
};

int state_root(enum state_kind kind, char ret[static PATH_MAX])
{
	int r = *base ? 0 : find_base(), n;

	if (r == 0 && is_below_tmp) {
		autoclose int fd = open_base();

		if (fd == -ENOENT)
			err_clear();
		else if (fd < 0)
			r = fd;
	}
	if (r < 0)
		return r;
	n = snprintf(ret, PATH_MAX, "%s/%s", base, names[kind]);
	return n < 0 || n >= PATH_MAX ?
		       fail(0,
			    "XDG_RUNTIME_DIR is longer than %d bytes, the "
			    "maximum for a path",
			    PATH_MAX) :
		       0;
}

int state_root_make_base(const char *path)
{
	int fd;

	if (!part_below_tmp(path))
		return 0;
	if (mkdir(base, 0700) < 0 && errno != EEXIST)
		return fail(errno, "create the state directory %s", base);
	fd = open_base();
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int state_root_open(const char *path)
{
	const char *part = part_below_tmp(path);
	autoclose int place = part ? open_base() : AT_FDCWD;
	int fd;

	if (part && place < 0)
		return place;
	fd = openat(place, part ? part : path,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? fail(errno,
			     "open the state directory %s " STATE_ELSEWHERE,
			     path) :
			fd;
}

bool state_elsewhere(size_t i, char ret[static PATH_MAX])
{
	if (geteuid() == 0 || i > COUNT(names))
		return false;
	if (i < COUNT(names))
		snprintf(ret, PATH_MAX, "/run/user/%u/%s", geteuid(), names[i]);
	else
		snprintf(ret, PATH_MAX, "/tmp/sandlock-%u", geteuid());
	return true;
}
