/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_diag.c - ask the kernel for the Unix sockets that are bound to
 * files.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "confine/unix_sockets.h"

/* States of a socket, spelled as in netinet/tcp.h. */
#define STATE_ESTABLISHED 1
#define STATE_CLOSE 7
#define STATE_LISTEN 10
#define ANSWER 32768 /* the kernel sends no more at once */

struct request {
	struct nlmsghdr header;
	struct unix_diag_req unix_;
};

/*
 * A bound socket counts before it listens. A connected stream socket accepts no
 * connection, but any process can send to a connected datagram socket.
 */
static bool is_reachable(const struct unix_diag_msg *msg)
{
	return msg->udiag_state != STATE_ESTABLISHED ||
	       msg->udiag_type == SOCK_DGRAM;
}

/* The name is not terminated; it may have any bytes but NUL. */
static int add(struct arena *arena, struct unix_socket socket,
	       const struct rtattr *name, struct unix_sockets *list)
{
	size_t len = name ? RTA_PAYLOAD(name) : 0;
	char text[128];

	if (len >= sizeof text)
		len = 0;
	if (len)
		memcpy(text, RTA_DATA(name), len);
	text[len] = '\0';
	socket.name = text;
	return unix_sockets_add(arena, list, &socket);
}

static int take(struct arena *arena, const struct nlmsghdr *header,
		pid_t process, struct unix_sockets *list)
{
	const struct unix_diag_msg *msg = NLMSG_DATA(header);
	const struct rtattr *name = NULL, *file = NULL;
	struct unix_socket socket = { .process = process, .identified = true };
	struct unix_diag_vfs vfs;
	int len;

	if (header->nlmsg_len < NLMSG_LENGTH(sizeof *msg))
		return -EBADMSG;
	len = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof *msg));
	for (const struct rtattr *a = (const void *)(msg + 1); RTA_OK(a, len);
	     a = RTA_NEXT(a, len)) {
		if (a->rta_type == UNIX_DIAG_NAME)
			name = a;
		else if (a->rta_type == UNIX_DIAG_VFS &&
			 RTA_PAYLOAD(a) >= sizeof vfs)
			file = a;
	}
	/* Without a file it has an abstract name, or none. */
	if (!file || !is_reachable(msg))
		return 0;
	memcpy(&vfs, RTA_DATA(file), sizeof vfs);
	socket.device = vfs.udiag_vfs_dev;
	socket.inode = vfs.udiag_vfs_ino;
	socket.number = msg->udiag_ino;
	return add(arena, socket, name, list);
}

int unix_diag_parse(struct arena *arena, const void *answer, size_t len,
		    pid_t process, struct unix_sockets *list)
{
	const struct nlmsghdr *header = answer;
	const struct nlmsgerr *error;
	int r;

	for (; NLMSG_OK(header, len); header = NLMSG_NEXT(header, len)) {
		if (header->nlmsg_type == NLMSG_DONE)
			return 1;
		if (header->nlmsg_type == NLMSG_ERROR) {
			error = NLMSG_DATA(header);
			return header->nlmsg_len >= NLMSG_LENGTH(
							    sizeof *error) &&
					       error->error < 0 ?
				       error->error :
				       -EBADMSG;
		}
		if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
			continue;
		r = take(arena, header, process, list);
		if (r < 0)
			return r;
	}
	return 0;
}

int unix_diag_list(struct arena *arena, pid_t process,
		   struct unix_sockets *list)
{
	const struct request request = {
		.header = {
			.nlmsg_len = sizeof request,
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.unix_ = {
			.sdiag_family = AF_UNIX,
			.udiag_states = 1 << STATE_ESTABLISHED |
					1 << STATE_CLOSE | 1 << STATE_LISTEN,
			.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS,
		},
	};
	_Alignas(struct nlmsghdr) char answer[ANSWER];
	autoclose int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int r = 0;

	if (fd < 0 || send(fd, &request, sizeof request, 0) < 0)
		return -errno;
	while (r == 0) {
		ssize_t n = recv(fd, answer, sizeof answer, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		r = unix_diag_parse(arena, answer, (size_t)n, process, list);
	}
	return r < 0 ? r : 0;
}
