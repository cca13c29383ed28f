/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/inherited.c - settle the descriptors and signals that the
 * caller passed on.
 */
#include "runtime/launch/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/num.h"
#include "base/sys.h"

/* Otherwise the next file opened would become the container's stdout. */
static int open_stdio(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return fail(errno,
				    "open /dev/null in place of a closed "
				    "standard stream");
	return 0;
}

/*
 * A directory of the host leads to the rest of the host through `..`, and so
 * does an O_PATH descriptor. Landlock restricts the contents of files there,
 * but not sockets, modes and owners.
 */
static int check_place(unsigned int fd, const struct stat *st)
{
	static const char *const names[] = { "input", "output", "error" };
	int flags = fcntl((int)fd, F_GETFL);

	if (flags < 0)
		return fail(errno, "inspect standard stream %u", fd);
	if (S_ISDIR(st->st_mode) || flags & O_PATH)
		return fail(0,
			    "standard %s is %s, and a policy cannot restrict "
			    "access through it: redirect it",
			    names[fd],
			    S_ISDIR(st->st_mode) ? "a directory" :
						   "an O_PATH descriptor");
	return 0;
}

/*
 * A process can connect a socket of the caller to another address: it stays in
 * the caller's network. A Unix socket has no such way out.
 */
static int check_socket(unsigned int fd)
{
	int family = AF_UNSPEC;
	socklen_t len = sizeof family;

	if (getsockopt((int)fd, SOL_SOCKET, SO_DOMAIN, &family, &len) == 0 &&
	    family == AF_UNIX)
		return 0;
	return fail(0,
		    "descriptor %u is a network socket, and a policy cannot "
		    "restrict what a program connects it to: pass a pipe "
		    "instead, or set network.mode to \"open\"",
		    fd);
}

int inherited_check(const struct inherited *passed)
{
	const unsigned int first = STDERR_FILENO + 1;
	int r = 0;

	for (unsigned int fd = passed->stdio ? 0 : first;
	     r == 0 && fd < first + passed->preserved; fd++) {
		struct stat st;

		if (fstat((int)fd, &st) < 0)
			return fail(errno, "inspect descriptor %u", fd);
		if (fd < first)
			r = check_place(fd, &st);
		if (r == 0 && S_ISSOCK(st.st_mode) && !passed->any_network)
			r = check_socket(fd);
	}
	return r;
}

static int close_on_exec_one_by_one(void)
{
	autoclosedir DIR *dir = opendir("/proc/self/fd");

	if (!dir)
		return fail(
			errno,
			"list /proc/self/fd to find the inherited descriptors");
	for (struct dirent *e; (e = readdir(dir));) {
		uint32_t fd;

		if (e->d_name[0] == '.' || num_u32(e->d_name, &fd) < 0 ||
		    fd <= STDERR_FILENO)
			continue;
		if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
			return fail(errno, "set close-on-exec on descriptor %u",
				    fd);
	}
	return 0;
}

static int close_on_exec(void)
{
	if (sys_close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC) ==
	    0)
		return 0;
	/* CLOSE_RANGE_CLOEXEC came with Linux 5.11. */
	return close_on_exec_one_by_one();
}

static unsigned int count_given(void)
{
	unsigned int n = 0;

	while (fcntl(STDERR_FILENO + 1 + (int)n, F_GETFD) >= 0)
		n++;
	return n;
}

int inherited_settle(unsigned int *ret_given)
{
	int r = open_stdio();

	*ret_given = count_given();
	if (r < 0)
		return r;
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return fail(errno, "make the runtime ignore SIGPIPE");
	/* If the caller ignored SIGCHLD, the kernel would reap the children. */
	if (signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return fail(errno, "make the runtime stop ignoring SIGCHLD");
	return close_on_exec();
}
