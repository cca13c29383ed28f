/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/seccomp_agent.c - send a seccomp listener to its agent. */
#include "runtime/launch/seccomp_agent.h"

#include <string.h>
#include <sys/socket.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"

int seccomp_agent_send(const char *listener_path, const char *json,
		       int listener_fd)
{
	autoclose int sock = io_connect_unix(listener_path, SOCK_STREAM);
	int r;

	if (sock < 0)
		return fail_in(sock, "failed to connect with seccomp agent");
	r = io_send_fds(sock, json, strlen(json), &listener_fd, 1);
	if (r < 0)
		return fail(-r, "send the seccomp listener to %s",
			    listener_path);
	return 0;
}
