/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/permitted.c - find out whether modes and owners of the host
 * permit an operation, so that the policy is the reason why it failed.
 *
 * The kernel answers, for this process without capabilities: that is what the
 * program of a sandbox has.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/denials/attribute.h"

#define MOST_GROUPS 256
#define UNCHANGED UINT32_MAX /* of chown */

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

struct without_caps {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct saved[_LINUX_CAPABILITY_U32S_3];
	bool dropped;
};

static void drop(struct without_caps *w)
{
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	*w = (struct without_caps){
		.header.version = _LINUX_CAPABILITY_VERSION_3,
	};
	if (syscall(SYS_capget, &w->header, w->saved) < 0)
		return;
	memcpy(none, w->saved, sizeof none);
	for (size_t i = 0; i < COUNT(none); i++)
		none[i].effective = 0;
	w->dropped = syscall(SYS_capset, &w->header, none) == 0;
}

static void restore(struct without_caps *w)
{
	if (w->dropped)
		(void)syscall(SYS_capset, &w->header, w->saved);
}

static bool may_access(int fd, int mode)
{
	return syscall(SYS_faccessat2, fd, "", mode,
		       AT_EACCESS | AT_EMPTY_PATH) == 0 ||
	       errno == ENOSYS;
}

static bool is_of_group(uint32_t gid)
{
	gid_t groups[MOST_GROUPS];
	int n = getgroups(MOST_GROUPS, groups);

	for (int i = 0; i < n; i++)
		if (groups[i] == gid)
			return true;
	return gid == getegid();
}

static bool may_own(const struct attribute_path *wanted, const struct stat *st)
{
	if (!wanted->owner)
		return true;
	if (st->st_uid != geteuid())
		return false;
	return !wanted->chown ||
	       ((wanted->uid == UNCHANGED || wanted->uid == st->st_uid) &&
		(wanted->gid == UNCHANGED || wanted->gid == st->st_gid ||
		 is_of_group(wanted->gid)));
}

/* In a directory such as /tmp, only owners remove names. */
static bool may_remove(int dir, const char *name)
{
	struct stat above, st;

	if (fstat(dir, &above) < 0)
		return false;
	if (!(above.st_mode & S_ISVTX) ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return true;
	return st.st_uid == geteuid() || above.st_uid == geteuid();
}

static bool may_change_dir(const struct attribution *attribution,
			   const char *real)
{
	const char *slash = strrchr(real, '/');
	char parent[PATH_MAX];

	snprintf(parent, sizeof parent, "%.*s",
		 slash == real ? 1 : (int)(slash - real), real);

	autoclose int dir = root_open(attribution->root, parent,
				      O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir >= 0 && may_access(dir, W_OK | X_OK) &&
	       may_remove(dir, slash + 1);
}

static bool may_use_file(const struct attribution *attribution,
			 const struct attribute_path *wanted, const char *real)
{
	autoclose int fd = root_open(attribution->root, real,
				     O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 &&
	       (S_ISLNK(st.st_mode) || may_access(fd, wanted->access)) &&
	       may_own(wanted, &st);
}

bool attribute_follows(const struct attribution *attribution,
		       const struct attribute_path *wanted)
{
	struct without_caps caps;
	bool may;

	drop(&caps);

	autoclose int fd =
		root_open(attribution->root, wanted->path, O_PATH | O_CLOEXEC);

	may = fd >= 0 && may_access(fd, wanted->access);
	restore(&caps);
	return may;
}

static bool may_use(const struct attribution *attribution,
		    const struct attribute_path *wanted, const char *real,
		    bool exists)
{
	return wanted->name || !exists ?
		       may_change_dir(attribution, real) :
		       may_use_file(attribution, wanted, real);
}

bool attribute_is_permitted(const struct attribution *attribution,
			    const struct attribute_path *wanted,
			    const char *real, bool exists)
{
	struct without_caps caps;
	bool may;

	drop(&caps);
	may = may_use(attribution, wanted, real, exists);
	restore(&caps);
	return may;
}

bool attribute_lacks_capability(const struct attribution *attribution,
				const struct attribute_path *wanted,
				const char *real, bool exists)
{
	struct attribute_path by_root = *wanted;

	/* Root may do what only the owner may. */
	by_root.owner = false;
	return geteuid() == 0 && may_use(attribution, &by_root, real, exists) &&
	       !attribute_is_permitted(attribution, wanted, real, exists);
}
