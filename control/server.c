/* SPDX-License-Identifier: Apache-2.0 */
/* control/server.c - accept clients of the control socket, and send events. */
#include "control/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/loop.h"
#include "control/client_state.h"

#define EVENT_ARENA (8UL << 20)
#define PAUSE_MS 1000 /* after a failed accept, as of descriptors */

/* ---- time ---- */

void server_set_timer(struct control_server *server)
{
	int64_t first = server->accepts_at;

	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		const struct control_client *client = server->clients[i];
		int64_t at = client ? client_deadline(client) : 0;

		if (at && (!first || at < first))
			first = at;
	}
	loop_timer_set(server->setup.loop, server->timer, first);
}

static int due(void *ctx)
{
	struct control_server *server = ctx;
	int64_t now = now_ms();

	if (server->accepts_at && server->accepts_at <= now) {
		server->accepts_at = 0;
		loop_watch(server->setup.loop, server->source, server->fd,
			   POLLIN);
	}
	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *client = server->clients[i];
		int64_t at = client ? client_deadline(client) : 0;

		if (!at || at > now)
			continue;
		/* A client that does not read would not get the reason. */
		if (!client->nout) {
			client_refuse(client, CONTROL_TIMEOUT,
				      "the client was silent for too long");
			(void)send(client->fd, client->out, client->nout,
				   MSG_DONTWAIT | MSG_NOSIGNAL);
		}
		client_close(client);
	}
	server_set_timer(server);
	return 0;
}

/* ---- clients ---- */

static bool may_connect(const struct control_server *server, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == 0 || peer.uid == server->setup.owner);
}

/* One that leaves soon must not keep out another one. */
static void turn_away(int fd)
{
	static const char busy[] =
		"{\"id\":0,\"error\":{\"code\":\"busy\",\"message\":\"too "
		"many clients are connected: try again later\"}}";
	unsigned char frame[FRAME_HEADER + sizeof busy - 1];

	frame_header(sizeof busy - 1, frame);
	memcpy(frame + FRAME_HEADER, busy, sizeof busy - 1);
	(void)send(fd, frame, sizeof frame, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

size_t control_clients(const struct control_server *server)
{
	size_t n = 0;

	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		n += server->clients[i] != NULL;
	return n;
}

static int accept_client(void *ctx, short revents)
{
	struct control_server *server = ctx;
	int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)revents;
	/* Without a pause the loop would call again at once. */
	if (fd < 0 && errno != EAGAIN && errno != EINTR &&
	    errno != ECONNABORTED) {
		loop_watch(server->setup.loop, server->source, server->fd, 0);
		server->accepts_at = now_ms() + PAUSE_MS;
		server_set_timer(server);
	}
	if (fd < 0)
		return 0;
	if (!may_connect(server, fd)) {
		close(fd);
		return 0;
	}
	if (control_clients(server) == CONTROL_CLIENTS)
		turn_away(fd);
	else
		(void)client_open(server, fd);
	server_set_timer(server);
	return 0;
}

/* ---- events ---- */

void control_publish(struct control_server *server, const char *event)
{
	AUTO(arena_close) struct arena arena = { 0 };

	server->published++;
	recent_keep(&server->recent, event);
	if (control_clients(server) == 0 || arena_open(&arena, EVENT_ARENA) < 0)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *client = server->clients[i];

		if (!client || !client->streams || client->leaves)
			continue;
		client_put_event(client, &arena, event);
		client_serve(client, false);
	}
}

static void end_stream(struct control_client *client)
{
	AUTO(arena_close) struct arena arena = { 0 };
	const char *text;
	size_t len;

	if (client->streams && arena_open(&arena, EVENT_ARENA) >= 0 &&
	    control_answer(&arena, CONTROL_END, client->stream, NULL, &text,
			   &len) >= 0)
		(void)client_put(client, text, len);
	client->leaves = true;
	client_serve(client, false);
}

/* ---- life ---- */

static void find_address(int dir, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* The path itself may be too long for sun_path. */
	snprintf(ret->sun_path, sizeof ret->sun_path,
		 "/proc/self/fd/%d/" CONTROL_SOCKET, dir);
}

static int listen_in(int dir, int *ret)
{
	autoclose int fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un addr;
	mode_t old;
	int r;

	if (fd < 0)
		return fail(errno, "create the control socket");
	find_address(dir, &addr);
	if (unlinkat(dir, CONTROL_SOCKET, 0) < 0 && errno != ENOENT)
		return fail(errno, "remove the old control socket");
	old = umask(0177);
	r = bind(fd, (struct sockaddr *)&addr, sizeof addr);
	(void)umask(old);
	if (r < 0 || listen(fd, CONTROL_CLIENTS) < 0)
		return fail(errno, "listen on the control socket, %s",
			    CONTROL_SOCKET);
	*ret = take_fd(&fd);
	return 0;
}

int control_server_open(const struct control_setup *setup,
			struct control_server *ret)
{
	int r;

	*ret = (struct control_server)CONTROL_SERVER_NONE;
	ret->setup = *setup;
	r = listen_in(setup->dir, &ret->fd);
	if (r < 0)
		return r;
	ret->source =
		loop_add(setup->loop, ret->fd, POLLIN, accept_client, ret);
	ret->timer = loop_timer_add(setup->loop, due, ret);
	if (ret->source < 0 || ret->timer < 0) {
		r = ret->source < 0 ? ret->source : ret->timer;
		control_server_close(ret);
	}
	return r;
}

void control_server_withdraw(struct control_server *server)
{
	if (server->fd < 0)
		return;
	loop_remove(server->setup.loop, server->source);
	server->source = -1;
	server->accepts_at = 0;
	(void)unlinkat(server->setup.dir, CONTROL_SOCKET, 0);
	closep(&server->fd);
}

void control_server_close(struct control_server *server)
{
	control_server_withdraw(server);
	if (server->timer < 0)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		if (server->clients[i])
			end_stream(server->clients[i]);
		if (server->clients[i])
			client_close(server->clients[i]);
	}
	loop_timer_remove(server->setup.loop, server->timer);
	server->timer = -1;
	recent_close(&server->recent);
}
