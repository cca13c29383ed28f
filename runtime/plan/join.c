/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/join.c - open namespaces, verify their type, find their owners.
 */
#include "runtime/plan/join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/kernel.h"

void join_close(struct join *join)
{
	for (int i = 0; i < OCI_NAMESPACES; i++)
		closep(&join->fds[i]);
}

bool join_any(const struct join *join)
{
	for (int i = 0; i < OCI_NAMESPACES; i++)
		if (join->fds[i] >= 0)
			return true;
	return false;
}

static size_t add_matching(const struct join *join, bool early, size_t n,
			   int *ret_fds, int *ret_flags)
{
	for (int i = 0; i < OCI_NAMESPACES; i++) {
		if (i == OCI_NS_USER || join->fds[i] < 0 ||
		    join->early[i] != early)
			continue;
		ret_fds[n] = join->fds[i];
		ret_flags[n++] = oci_ns_kinds[i].flag;
	}
	return n;
}

size_t join_in_order(const struct join *join, int *ret_fds, int *ret_flags)
{
	size_t n = add_matching(join, /* early= */ true, 0, ret_fds, ret_flags);

	if (join->fds[OCI_NS_USER] >= 0) {
		ret_fds[n] = join->fds[OCI_NS_USER];
		ret_flags[n++] = CLONE_NEWUSER;
	}
	return add_matching(join, /* early= */ false, n, ret_fds, ret_flags);
}

static bool same_file(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* True if the user namespace, or one below it, owns ns. */
static bool owned_by(int ns, int userns)
{
	autoclose int owner = ioctl(ns, NS_GET_USERNS);

	while (owner >= 0) {
		int parent;

		if (same_file(owner, userns))
			return true;
		parent = ioctl(owner, NS_GET_PARENT);
		close(owner);
		owner = parent;
	}
	return false;
}

static void find_order(struct join *join)
{
	int user = join->fds[OCI_NS_USER];

	for (int i = 0; i < OCI_NAMESPACES; i++)
		join->early[i] = i != OCI_NS_USER && join->fds[i] >= 0 &&
				 (user < 0 || !owned_by(join->fds[i], user));
}

static int open_one(const struct oci_ns_kind *kind, const char *path)
{
	autoclose int fd =
		open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return fail(errno, "open %s", path);
	if (ioctl(fd, NS_GET_NSTYPE) != kind->flag)
		return fail(0, "%s is not a %s namespace", path, kind->type);
	return take_fd(&fd);
}

int join_open(const struct oci_linux *linux_, struct join *ret)
{
	AUTO(join_close) struct join join = JOIN_NONE;

	for (int i = 0; i < OCI_NAMESPACES; i++) {
		const char *path = linux_->namespaces[i].path;

		if (!path)
			continue;
		join.fds[i] = open_one(&oci_ns_kinds[i], path);
		if (join.fds[i] < 0)
			return fail_in(join.fds[i], "linux.namespaces (%s)",
				       oci_ns_kinds[i].type);
	}
	find_order(&join);
	*ret = join;
	join = (struct join)JOIN_NONE;
	return 0;
}

int join_check_sysctls(const struct join *join, int proc,
		       const struct oci_linux *linux_)
{
	for (size_t i = 0; i < linux_->nsysctls; i++) {
		const struct oci_sysctl *s = &linux_->sysctls[i];
		int ns = oci_sysctl_owner(s->path);
		autoclose int own = -1;
		char name[64];

		if (ns < 0 || join->fds[ns] < 0)
			continue;
		snprintf(name, sizeof name, "self/ns/%s",
			 oci_ns_kinds[ns].proc);
		own = openat(proc, name, O_RDONLY | O_CLOEXEC);
		if (own < 0)
			return fail(errno,
				    "open /proc/%s to check linux.sysctl",
				    name);
		if (same_file(join->fds[ns], own))
			return fail(0,
				    "linux.sysctl.%.200s: the joined %s "
				    "namespace is the host's, whose sysctls "
				    "must not be changed",
				    s->key, oci_ns_kinds[ns].type);
	}
	return 0;
}

int join_of_process(int proc, pid_t pid, struct join *ret)
{
	AUTO(join_close) struct join join = JOIN_NONE;

	for (int i = 0; i < OCI_NAMESPACES; i++) {
		struct stat own, its;
		char name[64];

		snprintf(name, sizeof name, "%d/ns/%s", pid,
			 oci_ns_kinds[i].proc);
		join.fds[i] = openat(proc, name, O_RDONLY | O_CLOEXEC);
		if (join.fds[i] < 0 && errno == ENOENT && i == OCI_NS_TIME)
			continue;
		if (join.fds[i] < 0)
			return fail(errno,
				    "open the container's %s namespace "
				    "/proc/%s",
				    oci_ns_kinds[i].type, name);
		snprintf(name, sizeof name, "self/ns/%s", oci_ns_kinds[i].proc);
		if (fstatat(proc, name, &own, 0) < 0 ||
		    fstat(join.fds[i], &its) < 0)
			return fail(errno,
				    "inspect /proc/%s to compare the "
				    "namespaces",
				    name);
		join.inodes[i] = its.st_ino;
		if (own.st_dev == its.st_dev && own.st_ino == its.st_ino)
			closep(&join.fds[i]);
	}
	find_order(&join);
	*ret = join;
	join = (struct join)JOIN_NONE;
	return 0;
}
