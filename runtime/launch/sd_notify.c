/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/sd_notify.c - forward READY=1 from a container to
 * NOTIFY_SOCKET.
 */
#include "runtime/launch/sd_notify.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/util.h"

#define SOCKET_NAME NOTIFY_FOLDER "/notify.sock"

int sd_notify_make(int dir)
{
	if (mkdirat(dir, NOTIFY_FOLDER, 0755) < 0 && errno != EEXIST)
		return fail(errno,
			    "create the directory %s for the container's "
			    "notification socket",
			    NOTIFY_FOLDER);
	/* Set the mode whatever the umask is: any user inside may enter. */
	if (fchmodat(dir, NOTIFY_FOLDER, 0755, 0) < 0)
		return fail(errno,
			    "change the mode of the directory %s of the "
			    "container's notification socket",
			    NOTIFY_FOLDER);
	return 0;
}

static int bind_inside(int dir)
{
	autoclose int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	mode_t mask;
	int r;

	if (sock < 0)
		return fail(errno, "create a socket for NOTIFY_SOCKET");
	snprintf(addr.sun_path, sizeof addr.sun_path, "/proc/self/fd/%d/%s",
		 dir, SOCKET_NAME);
	(void)unlinkat(dir, SOCKET_NAME, 0);
	/*
	 * Any user inside may write to it; chmod would resolve the name again.
	 */
	mask = umask(0);
	r = bind(sock, (struct sockaddr *)&addr, sizeof addr);
	umask(mask);
	if (r < 0)
		return fail(errno,
			    "bind the container's notification socket %s",
			    SOCKET_NAME);
	return take_fd(&sock);
}

static int connect_abstract(const char *name)
{
	autoclose int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(name);

	if (sock < 0)
		return fail(errno, "create a socket for NOTIFY_SOCKET");
	if (len > sizeof addr.sun_path)
		return fail(ENAMETOOLONG, "connect to %s", name);
	memcpy(addr.sun_path, name, len);
	addr.sun_path[0] = '\0';
	len += offsetof(struct sockaddr_un, sun_path);
	if (connect(sock, (struct sockaddr *)&addr, (socklen_t)len) < 0)
		return fail(errno, "connect to %s", name);
	return take_fd(&sock);
}

/* A socket without a listener is stale; ignore it. */
static int connect_host(const char *host)
{
	int sock = *host == '@' ? connect_abstract(host) :
				  io_connect_unix(host, SOCK_DGRAM);

	if (sock < 0) {
		log_notice("NOTIFY_SOCKET is ignored: %s", err_text());
		err_clear();
	}
	return sock;
}

bool sd_notify_is_heard(const char *host)
{
	autoclose int sock = connect_host(host);

	return sock >= 0;
}

int sd_notify_open(int dir, const char *host, struct sd_notify *ret)
{
	autoclose int outside = connect_host(host);
	int inside;

	if (outside < 0)
		return 0;
	inside = bind_inside(dir);
	if (inside < 0)
		return fail_in(inside, "NOTIFY_SOCKET");
	ret->inside = inside;
	ret->host = take_fd(&outside);
	return 0;
}

void sd_notify_close(struct sd_notify *notify)
{
	closep(&notify->inside);
	closep(&notify->host);
}

static bool says_ready(char *message)
{
	char *rest = message, *line;

	while ((line = strsep(&rest, "\n")))
		if (streq(line, "READY=1"))
			return true;
	return false;
}

int sd_notify_receive(const struct sd_notify *notify, pid_t pid)
{
	char text[4096];
	ssize_t n = recv(notify->inside, text, sizeof text - 1, MSG_DONTWAIT);
	int len;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ?
			       0 :
			       fail(errno,
				    "receive from the container's notification "
				    "socket %s",
				    SOCKET_NAME);
	text[n] = '\0';
	if (!says_ready(text))
		return 0;
	/*
	 * Send only these lines, because the service manager obeys others, too.
	 */
	len = snprintf(text, sizeof text, "READY=1\nMAINPID=%d\n", pid);
	if (send(notify->host, text, (size_t)len, MSG_NOSIGNAL) < 0)
		log_notice("NOTIFY_SOCKET is ignored: cannot send READY=1 to "
			   "it: %s",
			   errno_text(errno));
	return 1;
}

int sd_notify_relay(const struct sd_notify *notify, pid_t pid, int pidfd)
{
	struct pollfd fds[] = {
		{ .fd = notify->inside, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
	};

	for (;;) {
		int r;

		if (poll(fds, COUNT(fds), -1) < 0) {
			if (errno == EINTR)
				continue;
			return fail(errno,
				    "wait for the container's notification");
		}
		r = sd_notify_receive(notify, pid);
		if (r != 0)
			return r < 0 ? r : 0;
		/* Process a last message before reporting that init is gone. */
		if (fds[1].revents && !fds[0].revents)
			return 0;
	}
}
