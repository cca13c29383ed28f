/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/host_ids.c - find out whether a bundle can write files of the
 * host.
 *
 * If it can, a file with S_ISUID or S_ISGID could give its rights to a user
 * outside. If not, the system calls of the group suid are allowed, which
 * package managers need. The root file system does not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/util.h"
#include "confine/files.h"
#include "confine/masks.h"
#include "oci/mount_options.h"
#include "runtime/enforce/spec.h"

#define GROUP "suid"

/* ---- what is mounted ---- */

/* These contain no programs; a tmpfs is new and empty. */
static bool is_own_type(const char *type)
{
	static const char *const types[] = { "proc",   "sysfs",	 "tmpfs",
					     "devpts", "mqueue", "cgroup",
					     "cgroup2" };

	for (size_t i = 0; i < COUNT(types); i++)
		if (streq(type, types[i]))
			return true;
	return false;
}

static bool holds_no_program(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return false;
	switch (fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case DEVPTS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* With rbind, ro applies to the first mount only: check those below. */
static int look_below(struct arena *arena, const char *source, bool *ret)
{
	autoclose int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct mountinfo table;
	int r = proc < 0 ? fail(errno, "open /proc to read the mounts below %s",
				source) :
			   mountinfo_read(arena, proc, "self", &table);

	for (size_t i = 0; r >= 0 && i < table.n; i++) {
		const char *place = table.items[i].point;
		struct statvfs fs;

		if (!streq(place, source) &&
		    files_is_at_or_below(place, source) &&
		    !holds_no_program(place) &&
		    !(statvfs(place, &fs) == 0 && fs.f_flag & ST_RDONLY))
			*ret = true;
	}
	return r;
}

static bool comes_later(const struct mount_options *o)
{
	for (size_t i = 0; i < o->npropagation; i++)
		if (o->propagation[i] & (MS_SLAVE | MS_SHARED))
			return true;
	return false;
}

int enforce_may_write(struct arena *arena, const struct oci_mount *mount,
		      const char *source, bool *ret)
{
	struct mount_options o;
	int r = mount_options_parse(arena, &mount->options, &o);

	if (r < 0)
		return r;
	*ret = !(((o.attr_set & ~o.rec_clr) | o.rec_set) & MOUNT_ATTR_RDONLY);
	if (*ret || !o.rbind || o.rec_set & MOUNT_ATTR_RDONLY)
		return 0;
	*ret = comes_later(&o);
	return *ret ? 0 : look_below(arena, source, ret);
}

/* ---- mounts of engines ---- */

/* True if a directory above it keeps other users from executing it. */
static bool is_closed_to_others(const char *path)
{
	char dir[PATH_MAX];
	struct stat st;

	if (strlen(path) >= sizeof dir)
		return false;
	strcpy(dir, path);
	for (char *slash; (slash = strrchr(dir, '/')) && slash > dir;) {
		*slash = '\0';
		if (stat(dir, &st) == 0 && !(st.st_mode & S_IXOTH))
			return true;
	}
	return false;
}

/*
 * Files with the identity of the container, and its shared memory. Engines
 * leave these writable, but no other user can reach them.
 */
static bool is_of_engine(const struct oci_mount *mount, const char *source,
			 const struct stat *st)
{
	static const char *const files[] = { "/etc/hosts", "/etc/hostname",
					     "/etc/resolv.conf",
					     "/run/.containerenv",
					     "/dev/termination-log" };
	struct statvfs fs;

	if (streq(mount->destination, "/dev/shm"))
		return statvfs(source, &fs) == 0 && fs.f_flag & ST_NOSUID;
	for (size_t i = 0; i < COUNT(files); i++)
		if (streq(mount->destination, files[i]))
			return S_ISREG(st->st_mode) &&
			       is_closed_to_others(source);
	return false;
}

/* ---- one mount after the other ---- */

static int shows_host(struct arena *arena, const struct oci_mount *mount,
		      bool *ret)
{
	autofree char *source = NULL;
	struct stat st;

	*ret = false;
	if (!oci_mount_is_bind(mount)) {
		if (mount->type && is_own_type(mount->type))
			return 0;
		return enforce_may_write(arena, mount, "", ret);
	}
	source = mount->source ? realpath(mount->source, NULL) : NULL;
	if (source && stat(source, &st) == 0 &&
	    ((!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) ||
	     holds_no_program(source) || is_of_engine(mount, source, &st)))
		return 0;
	return enforce_may_write(arena, mount, source ? source : "", ret);
}

static int lift(struct arena *arena, struct policy *policy)
{
	int r = strings_add(arena, &policy->extra_allow, GROUP);

	if (r < 0)
		return r;
	policy->set[KEY_EXTRA_ALLOW] = true;
	if (!policy->origin[KEY_EXTRA_ALLOW])
		policy->origin[KEY_EXTRA_ALLOW] =
			"default: no file of the host can be written";
	return 0;
}

bool enforce_shares_ids(const struct policy *policy)
{
	return strings_has(&policy->extra_deny, GROUP) ||
	       !strings_has(&policy->extra_allow, GROUP);
}

int enforce_ids(struct arena *arena, struct enforcement *enforcement,
		const struct oci_spec *spec)
{
	const struct oci_namespace *own =
		&spec->linux_.namespaces[OCI_NS_MOUNT];
	bool shows = !own->listed || own->path;

	if (enforcement->kind != ENFORCE_BUNDLE ||
	    !enforce_shares_ids(&enforcement->policy))
		return 0;
	for (size_t i = 0; !shows && i < spec->nmounts; i++) {
		int r = shows_host(arena, &spec->mounts[i], &shows);

		if (r < 0)
			return fail_in(r, "mounts[%zu]", i);
	}
	return shows ? 0 : lift(arena, &enforcement->policy);
}
