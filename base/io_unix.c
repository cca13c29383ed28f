/* SPDX-License-Identifier: Apache-2.0 */
/* base/io_unix.c - connect by a path of any length; send and receive descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"

/* Time for a peer to accept a connection or to receive a message. */
#define PEER_S 5

/* If the path is too long for sun_path, use its directory's descriptor. */
static int unix_address(const char *path, struct sockaddr_un *ret, int *ret_dir)
{
	const char *slash = strrchr(path, '/');
	int n;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) < sizeof ret->sun_path) {
		memcpy(ret->sun_path, path, strlen(path) + 1);
		return 0;
	}
	if (!slash)
		return -ENAMETOOLONG;

	autofree char *folder = strndup(path, (size_t)(slash - path) + 1);

	if (!folder)
		return -ENOMEM;
	*ret_dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*ret_dir < 0)
		return -errno;
	n = snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s",
		     *ret_dir, slash + 1);
	return n < 0 || (size_t)n >= sizeof ret->sun_path ? -ENAMETOOLONG : 0;
}

int io_connect_unix(const char *path, int type)
{
	autoclose int sock = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	const struct timeval most = { .tv_sec = PEER_S };
	autoclose int dir = -1;
	struct sockaddr_un addr;
	int r;

	if (sock < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) < 0)
		return fail(errno, "create a socket to connect to %s", path);
	r = unix_address(path, &addr, &dir);
	if (r < 0)
		return fail(-r, "connect to %s", path);
	if (connect(sock, (struct sockaddr *)&addr, sizeof addr) < 0)
		return fail(errno == EAGAIN ? ETIMEDOUT : errno,
			    "connect to %s", path);
	return take_fd(&sock);
}

int io_send_fds(int sock, const void *data, size_t len, const int *fds,
		size_t nfds)
{
	union {
		char bytes[CMSG_SPACE(IO_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (nfds > IO_MAX_FDS)
		return -EINVAL;
	if (nfds > 0) {
		struct cmsghdr *c;

		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
	}
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

ssize_t io_receive_fds(int sock, void *data, size_t size, int *fds, size_t room,
		       size_t *ret_nfds)
{
	union {
		char bytes[CMSG_SPACE(IO_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes,
	};
	int got[IO_MAX_FDS];
	struct cmsghdr *c;
	size_t ngot = 0;
	ssize_t n;

	*ret_nfds = 0;
	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		ngot = (c->cmsg_len - CMSG_LEN(0)) / sizeof *got;
		memcpy(got, CMSG_DATA(c), ngot * sizeof *got);
	}
	if (ngot > room || msg.msg_flags & MSG_CTRUNC) {
		for (size_t i = 0; i < ngot; i++)
			close(got[i]);
		return -EPROTO;
	}
	memcpy(fds, got, ngot * sizeof *got);
	*ret_nfds = ngot;
	return n;
}
