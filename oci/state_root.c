/* SPDX-License-Identifier: Apache-2.0 */
/* oci/state_root.c - choose the state directory if --root is not given. */
#include "oci/state_root.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"

/*
 * Root of a user namespace is an ordinary user outside. Rootless podman runs us
 * like that, and sets XDG_RUNTIME_DIR to the user's own directory.
 */
static bool is_host_root(void)
{
	bool in_userns;

	if (geteuid() != 0)
		return false;
	if (proc_in_userns(-1, &in_userns) < 0) {
		err_clear();
		return true;
	}
	return !in_userns;
}

static bool is_own_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid();
}

/* In /tmp another user may have made the directory first. */
static int make_below_tmp(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return fail(errno, "create %s", path);
	if (lstat(path, &st) < 0)
		return fail(errno, "stat %s", path);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return 0;
	return fail(0,
		    "%s: must be a directory accessible only to user %u: "
		    "remove it, or set XDG_RUNTIME_DIR",
		    path, geteuid());
}

static int find_base(char ret[static PATH_MAX])
{
	const char *given = getenv("XDG_RUNTIME_DIR");
	bool has_given = given && given[0] == '/';
	int n;

	if (is_host_root() || (geteuid() == 0 && !has_given))
		n = snprintf(ret, PATH_MAX, "/run");
	else if (has_given)
		n = snprintf(ret, PATH_MAX, "%s", given);
	else
		n = snprintf(ret, PATH_MAX, "/run/user/%u", geteuid());
	if (n < 0 || n >= PATH_MAX)
		return fail(ENAMETOOLONG, "XDG_RUNTIME_DIR");
	if (has_given || geteuid() == 0 || is_own_dir(ret))
		return 0;
	snprintf(ret, PATH_MAX, "/tmp/sandlock-%u", geteuid());
	return make_below_tmp(ret);
}

static const char *const names[] = {
	[STATE_SANDBOXES] = "sandlock",
	[STATE_CONTAINERS] = "sandlock-oci",
	[STATE_PLACEHOLDERS] = "sandlock-placeholders",
};

int state_root(enum state_kind kind, char ret[static PATH_MAX])
{
	/*
	 * Decide once, so that all state of a process is below one directory.
	 */
	static char base[PATH_MAX];
	int r = *base ? 0 : find_base(base);
	int n;

	if (r < 0) {
		*base = '\0';
		return r;
	}
	n = snprintf(ret, PATH_MAX, "%s/%s", base, names[kind]);
	return n < 0 || n >= PATH_MAX ? fail(ENAMETOOLONG, "XDG_RUNTIME_DIR") :
					0;
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
