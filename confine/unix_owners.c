/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_owners.c - find the files of bound Unix sockets through the
 * processes that may have bound them.
 *
 * A relative name is looked up in the directory of each process. Then the
 * kernel is asked for the file of a copy of the socket: it knows the file's
 * present place, whatever was renamed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/unix_sockets.h"

#ifndef SIOCUNIXFILE /* linux/un.h */
#define SIOCUNIXFILE (SIOCPROTOPRIVATE + 0)
#endif

static bool has_lost(const struct unix_sockets *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].state == UNIX_LOST)
			return true;
	return false;
}

/* ---- the directories of processes ---- */

/*
 * Ask for no answer of a server: a directory may be on a file system of any
 * user.
 */
static bool is_on(int dir, const struct unix_socket *socket)
{
	struct statx st;

	return !socket->identified ||
	       (statx(dir, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE,
		      &st) == 0 &&
		MOUNTINFO_DEVICE(st.stx_dev_major, st.stx_dev_minor) ==
			socket->device);
}

/* Stay on one mount, for the same reason. */
static void try_directory(struct unix_resolver *r, struct unix_socket *socket,
			  int dir, pid_t process)
{
	autoclose int fd = -1;

	if (!is_on(dir, socket))
		return;
	fd = sys_openat2(dir, socket->name, O_PATH | O_NOFOLLOW, 0,
			 KERNEL_RESOLVE_NO_XDEV | KERNEL_RESOLVE_NO_MAGICLINKS);
	if (fd >= 0)
		unix_resolve_file(r, socket, fd, process, false);
}

/* A name without an inode is one of a process in that namespace. */
static bool may_have_bound(const struct unix_process *process,
			   const struct unix_socket *socket)
{
	return socket->state == UNIX_LOST && socket->name[0] &&
	       (socket->identified || socket->process == process->first);
}

static void try_process(struct unix_resolver *r,
			const struct unix_process *process, bool root)
{
	autoclose int dir = -1;
	char name[32];

	for (size_t i = 0; i < r->list->n; i++) {
		struct unix_socket *socket = &r->list->items[i];

		if (!may_have_bound(process, socket) ||
		    (socket->name[0] == '/') != root)
			continue;
		if (dir < 0) {
			snprintf(name, sizeof name, "%d/%s", process->id,
				 root ? "root" : "cwd");
			dir = openat(r->proc, name,
				     O_PATH | O_DIRECTORY | O_CLOEXEC);
		}
		if (dir < 0)
			return;
		if (!root) {
			try_directory(r, socket, dir, process->id);
			continue;
		}

		autoclose int fd = root_open(dir, socket->name,
					     O_PATH | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0)
			unix_resolve_file(r, socket, fd, process->id, false);
	}
}

/* ---- the sockets of processes ---- */

/* Return its file, or -1; EPERM: the caller lacks CAP_NET_ADMIN. */
static int open_file(const struct unix_process *process, int number)
{
	autoclose int pidfd = sys_pidfd_open(process->id);
	autoclose int copy =
		pidfd < 0 ? -1 :
			    (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);

	errno = ESRCH;
	return copy < 0 ? -1 : ioctl(copy, SIOCUNIXFILE);
}

/* False if the caller may not ask at all. */
static bool try_descriptor(struct unix_resolver *r,
			   const struct unix_process *process, int dir,
			   const char *descriptor)
{
	char text[64];
	ssize_t n = readlinkat(dir, descriptor, text, sizeof text - 1);
	unsigned int number;

	if (n <= 0)
		return true;
	text[n] = '\0';
	if (sscanf(text, "socket:[%u]", &number) != 1)
		return true;
	for (size_t i = 0; i < r->list->n; i++) {
		struct unix_socket *socket = &r->list->items[i];

		if (socket->state != UNIX_LOST || socket->number != number)
			continue;

		autoclose int fd = open_file(process, atoi(descriptor));

		if (fd < 0)
			return errno != EPERM;
		unix_resolve_file(r, socket, fd, process->id, true);
	}
	return true;
}

static bool try_descriptors(struct unix_resolver *r,
			    const struct unix_process *process)
{
	char name[32];
	const struct dirent *entry;
	bool may_ask = true;

	snprintf(name, sizeof name, "%d/fd", process->id);

	autoclose int fd =
		openat(r->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclosedir DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (!entries)
		return true;
	(void)take_fd(&fd);
	while (may_ask && (entry = readdir(entries)))
		may_ask = try_descriptor(r, process, dirfd(entries),
					 entry->d_name);
	return may_ask;
}

/*
 * Root asks for the file, and never looks up names in a directory that another
 * user chose. A user can look only into processes of that user.
 */
void unix_owners_resolve(struct unix_resolver *r)
{
	const struct unix_processes *all = r->processes;
	bool may_ask = true;

	for (size_t i = 0; i < all->n && has_lost(r->list); i++)
		try_process(r, &all->items[i], false);
	for (size_t i = 0; may_ask && i < all->n && has_lost(r->list); i++)
		may_ask = try_descriptors(r, &all->items[i]);
	for (size_t i = 0; geteuid() != 0 && i < all->n && has_lost(r->list);
	     i++)
		try_process(r, &all->items[i], true);
}
