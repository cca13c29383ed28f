/* SPDX-License-Identifier: Apache-2.0 */
/* control/client_state.c - read from a client of the server, and send to it. */
#include "control/client_state.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/util.h"

#define SMALL_ARENA (4UL << 20)

/* ---- output ---- */

bool client_put(struct control_client *client, const char *text, size_t len)
{
	unsigned char header[FRAME_HEADER];

	if (len > FRAME_MAX_ANSWER ||
	    len + FRAME_HEADER > sizeof client->out - client->nout)
		return false;
	frame_header(len, header);
	memcpy(client->out + client->nout, header, sizeof header);
	memcpy(client->out + client->nout + sizeof header, text, len);
	if (client->nout == 0)
		client->read_on = now_ms() + CONTROL_MESSAGE_MS;
	client->nout += sizeof header + len;
	return true;
}

/* One of them is dropped at a time, so that the number is exact. */
static void put_lost(struct control_client *client, struct arena *arena)
{
	const char *text;
	size_t len;

	if (client->lost &&
	    control_lost(arena, client->stream, client->lost, &text, &len) >=
		    0 &&
	    client_put(client, text, len))
		client->lost = 0;
}

void client_put_event(struct control_client *client, struct arena *arena,
		      const char *event)
{
	const char *text;
	size_t len;

	/* An answer must always fit, so events take half of the space. */
	if (client->nout < sizeof client->out / 2)
		put_lost(client, arena);
	if (client->lost || client->nout >= sizeof client->out / 2 ||
	    control_answer(arena, CONTROL_EVENT, client->stream, event, &text,
			   &len) < 0 ||
	    !client_put(client, text, len))
		client->lost++;
}

void client_refuse(struct control_client *client, enum control_code code,
		   const char *why)
{
	AUTO(arena_close) struct arena arena = { 0 };
	const char *text;
	size_t len;

	client->leaves = true;
	if (arena_open(&arena, SMALL_ARENA) >= 0 &&
	    control_error(&arena, 0, code, why, &text, &len) >= 0)
		(void)client_put(client, text, len);
}

/* Return false if the client is gone. */
static bool send_some(struct control_client *client)
{
	ssize_t n = send(client->fd, client->out, client->nout,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	client->nout -= (size_t)n;
	memmove(client->out, client->out + n, client->nout);
	client->read_on = client->nout ? now_ms() + CONTROL_MESSAGE_MS : 0;
	return true;
}

/* ---- input ---- */

static void take_fds(struct control_client *client, struct msghdr *message)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		int fds[CONTROL_MAX_FDS];
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof *fds;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		if (n > COUNT(fds))
			n = COUNT(fds);
		memcpy(fds, CMSG_DATA(c), n * sizeof *fds);
		for (size_t i = 0; i < n; i++) {
			if (client->nfds < CONTROL_MAX_FDS)
				client->fds[client->nfds++] = fds[i];
			else
				close(fds[i]);
		}
	}
}

/* Return false at the end of the input. */
static bool receive_some(struct control_client *client)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(CONTROL_MAX_FDS * sizeof(int))];
	} rights;
	struct iovec space = {
		.iov_base = client->in + client->nin,
		.iov_len = sizeof client->in - client->nin,
	};
	struct msghdr message = {
		.msg_iov = &space,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof rights,
	};
	ssize_t n;

	if (space.iov_len == 0)
		return true;
	n = recvmsg(client->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	take_fds(client, &message);
	/* A message does not get more time because it comes byte by byte. */
	if (client->nin == 0 && client->greeted)
		client->go_on = now_ms() + CONTROL_MESSAGE_MS;
	client->nin += (size_t)n;
	return n > 0;
}

/* Answer one message if it is complete and the last answer was read. */
static bool answer_one(struct control_client *client)
{
	size_t len, whole;
	int r;

	if (client->leaves || (client->nout && !client->streams))
		return false;
	r = frame_find(client->in, client->nin, FRAME_MAX_REQUEST, &len);
	if (r < 0)
		client_refuse(client, CONTROL_FRAME, err_text());
	if (r <= 0)
		return false;
	client_answer(client, client->in + FRAME_HEADER, len);
	whole = FRAME_HEADER + len;
	client->nin -= whole;
	memmove(client->in, client->in + whole, client->nin);
	client->go_on =
		now_ms() + (client->nin ? CONTROL_MESSAGE_MS : CONTROL_IDLE_MS);
	if (client->streams && !client->nin)
		client->go_on = 0;
	return true;
}

void client_serve(struct control_client *client, bool readable)
{
	struct control_server *server = client->server;
	bool open = !readable || receive_some(client);
	short events;

	do {
		if (client->nout && !send_some(client))
			open = false;
	} while (open && answer_one(client));
	if (client->nout && open)
		open = send_some(client);
	if (!open || (client->leaves && !client->nout)) {
		client_close(client);
		server_set_timer(server);
		return;
	}
	/* What it sends next waits in the socket until it has read. */
	events = client->nout ? POLLOUT : 0;
	if (!client->leaves && client->nin < sizeof client->in &&
	    (!client->nout || client->streams))
		events |= POLLIN;
	loop_watch(server->setup.loop, client->source, client->fd, events);
	server_set_timer(server);
}

/* ---- life ---- */

static int ready(void *ctx, short revents)
{
	client_serve(ctx, revents & (POLLIN | POLLHUP | POLLERR));
	return 0;
}

struct control_client *client_open(struct control_server *server, int fd)
{
	struct control_client *client =
		mmap(NULL, sizeof *client, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i = 0;

	while (i < CONTROL_CLIENTS && server->clients[i])
		i++;
	if (client == MAP_FAILED || i == CONTROL_CLIENTS) {
		if (client != MAP_FAILED)
			munmap(client, sizeof *client);
		close(fd);
		return NULL;
	}
	client->server = server;
	client->fd = fd;
	client->go_on = now_ms() + CONTROL_MESSAGE_MS;
	server->clients[i] = client;
	client->source =
		loop_add(server->setup.loop, fd, POLLIN, ready, client);
	if (client->source < 0) {
		client_close(client);
		return NULL;
	}
	return client;
}

void client_close(struct control_client *client)
{
	struct control_server *server = client->server;

	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		if (server->clients[i] == client)
			server->clients[i] = NULL;
	loop_remove(server->setup.loop, client->source);
	for (size_t i = 0; i < client->nfds; i++)
		close(client->fds[i]);
	close(client->fd);
	munmap(client, sizeof *client);
}

int64_t client_deadline(const struct control_client *client)
{
	if (!client->go_on || !client->read_on)
		return client->go_on ? client->go_on : client->read_on;
	return client->go_on < client->read_on ? client->go_on :
						 client->read_on;
}
