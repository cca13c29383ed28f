/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/copy.c - append the output of hooks to a file on the host. */
#include "hooks/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/util.h"

/* How long to wait for the reader of a full pipe. */
#define PATIENCE_MS 2000

static int open_file(const char *path)
{
	if (streq(path, "/dev/stdout"))
		return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (streq(path, "/dev/stderr"))
		return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	/* With O_NONBLOCK, opening a FIFO without a reader fails at once. */
	return open(path,
		    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY |
			    O_NONBLOCK | O_CLOEXEC,
		    0600);
}

int copy_open(const char *path, struct copy *ret)
{
	int fd = open_file(path);

	if (fd < 0 && errno == ELOOP)
		return fail(0, "open %s: it must not be a symbolic link", path);
	if (fd < 0)
		return fail(errno, "open %s", path);
	*ret = (struct copy){ .path = path, .fd = fd };
	return 0;
}

void copy_add(struct copy *copy, const char *data, size_t len)
{
	struct pollfd p = { .fd = copy->fd, .events = POLLOUT };
	int r;

	if (copy->fd < 0)
		return;
	do
		r = poll(&p, 1, PATIENCE_MS);
	while (r < 0 && errno == EINTR);
	r = r > 0 ? io_write_all(copy->fd, data, len) : -EAGAIN;
	if (r >= 0)
		return;
	log_notice("cannot write the output of a hook to %s: %s", copy->path,
		   errno_text(-r));
	closep(&copy->fd);
}

void copy_close(struct copy *copy)
{
	closep(&copy->fd);
}
