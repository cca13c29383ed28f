/* SPDX-License-Identifier: Apache-2.0 */
/* control/client.c - connect to a control socket, ask and wait. */
#include "control/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "control/frame.h"
#include "control/server.h"
#include "oci/write.h"

#define IN_SIZE (FRAME_HEADER + FRAME_MAX_ANSWER)
#define ANSWER_MS 30000

/* Send a frame, with a descriptor unless fd is -1. */
static int send_with(const struct control_link *link, const char *text,
		     size_t len, int fd)
{
	unsigned char header[FRAME_HEADER];
	struct iovec parts[] = {
		{ header, sizeof header },
		{ (char *)text, len },
	};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof fd)];
	} rights = { .bytes = { 0 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n;

	if (len > FRAME_MAX_REQUEST)
		return fail(0,
			    "the request has %zu bytes, more than the maximum "
			    "of %u",
			    len, FRAME_MAX_REQUEST);
	frame_header(len, header);
	if (fd >= 0) {
		rights.header = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof fd),
		};
		memcpy(CMSG_DATA(&rights.header), &fd, sizeof fd);
		message.msg_control = &rights;
		message.msg_controllen = sizeof rights;
	}
	n = sendmsg(link->fd, &message, MSG_NOSIGNAL);
	if (n == (ssize_t)(sizeof header + len))
		return 0;
	return fail(n < 0 ? errno : EPIPE, "write to the control socket");
}

static int send_text(const struct control_link *link, const char *text,
		     size_t len)
{
	return send_with(link, text, len, -1);
}

/* Wait for more bytes; the time is over at `end` (-1: never). */
static int receive_more(struct control_link *link, int64_t end)
{
	struct pollfd p = { .fd = link->fd, .events = POLLIN };
	int64_t left = end < 0 ? -1 : end - now_ms();
	ssize_t n;

	if (end >= 0 && left < 0)
		left = 0;
	if (poll(&p, 1, (int)left) == 0)
		return fail(ETIMEDOUT, "wait for the supervisor to answer");
	n = recv(link->fd, link->in + link->nin, IN_SIZE - link->nin, 0);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n < 0)
		return fail(errno, "read from the control socket");
	if (n == 0)
		return fail(ECONNRESET, "the supervisor closed the control "
					"socket");
	link->nin += (size_t)n;
	return 0;
}

/* Get the text of the next frame, in the arena. */
static int next_text(struct arena *arena, struct control_link *link,
		     int timeout_ms, const char **ret, size_t *ret_len)
{
	int64_t end = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	size_t len = 0;
	int r;

	for (;;) {
		r = frame_find(link->in, link->nin, FRAME_MAX_ANSWER, &len);
		if (r < 0)
			return fail_in(r, "the answer of the supervisor");
		if (r > 0)
			break;
		r = receive_more(link, end);
		if (r < 0)
			return r;
	}
	*ret = arena_strndup(arena, link->in + FRAME_HEADER, len);
	*ret_len = len;
	link->nin -= FRAME_HEADER + len;
	memmove(link->in, link->in + FRAME_HEADER + len, link->nin);
	return *ret ? 0 : -ENOMEM;
}

static int server_error(const struct control_answer *answer)
{
	return fail(0, "%s", answer->message);
}

/* A server that refuses the version answers with an error. */
static int greet(struct arena *arena, struct control_link *link)
{
	struct control_answer answer;
	enum control_code code;
	const char *text;
	size_t len;
	int r = control_hello(arena, &text, &len);

	if (r >= 0)
		r = send_text(link, text, len);
	if (r >= 0)
		r = next_text(arena, link, ANSWER_MS, &text, &len);
	if (r < 0)
		return r;
	if (control_parse_answer(arena, text, len, &answer) >= 0 &&
	    answer.kind == CONTROL_ERROR)
		return server_error(&answer);
	return control_parse_hello(arena, text, len, &code);
}

int control_connect(struct arena *arena, int dir, struct control_link *ret)
{
	struct control_link link = CONTROL_LINK_NONE;
	autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int r;

	if (fd < 0)
		return fail(errno, "create a socket");
	snprintf(addr.sun_path, sizeof addr.sun_path,
		 "/proc/self/fd/%d/" CONTROL_SOCKET, dir);
	if (connect(fd, (struct sockaddr *)&addr, sizeof addr) < 0)
		return fail(errno, "connect to the control socket");
	link.in = arena_alloc(arena, IN_SIZE);
	if (!link.in)
		return -ENOMEM;
	link.fd = fd;
	r = greet(arena, &link);
	if (r < 0)
		return r;
	(void)take_fd(&fd);
	*ret = link;
	return 0;
}

int control_next(struct arena *arena, struct control_link *link, int timeout_ms,
		 struct control_answer *ret)
{
	const char *text;
	size_t len;
	int r = next_text(arena, link, timeout_ms, &text, &len);

	if (r >= 0)
		r = control_parse_answer(arena, text, len, ret);
	return r;
}

static int ask(struct arena *arena, struct control_link *link, const char *verb,
	       const char *arguments, int fd, const struct json_value **ret)
{
	uint64_t id = ++link->next_id;
	struct control_answer answer;
	const char *text;
	size_t len;
	int r = control_request(arena, id, verb, arguments, &text, &len);

	if (r >= 0)
		r = send_with(link, text, len, fd);
	do {
		if (r >= 0)
			r = control_next(arena, link, ANSWER_MS, &answer);
		if (r < 0)
			return r;
		/* Events of a stream may come first. */
	} while (answer.id != id && answer.kind != CONTROL_ERROR);
	if (answer.kind == CONTROL_ERROR)
		return server_error(&answer);
	if (answer.kind != CONTROL_OK)
		return fail(0, "the supervisor did not answer %s", verb);
	*ret = answer.value;
	return 0;
}

int control_ask(struct arena *arena, struct control_link *link,
		const char *verb, const char *arguments,
		const struct json_value **ret)
{
	return ask(arena, link, verb, arguments, -1, ret);
}

int control_give(struct arena *arena, struct control_link *link,
		 const char *verb, int fd)
{
	const struct json_value *answer;

	return ask(arena, link, verb, NULL, fd, &answer);
}

int control_next_event(struct arena *arena, struct control_link *link,
		       int timeout_ms, const char **ret)
{
	struct control_answer answer;
	struct writer w;
	int r = control_next(arena, link, timeout_ms, &answer);

	if (r < 0)
		return r;
	if (answer.kind == CONTROL_ERROR)
		return server_error(&answer);
	if (answer.kind == CONTROL_END)
		return 0;
	writer_open(&w, arena, WRITE_COMPACT);
	if (answer.kind == CONTROL_LOST) {
		put_object(&w, NULL);
		put_string(&w, "type", "lost");
		put_u64(&w, "events", answer.lost);
		put_end(&w);
	} else {
		put_value(&w, NULL, answer.value);
	}
	r = writer_close(&w, ret, NULL);
	return r < 0 ? r : 1;
}

void control_disconnect(struct control_link *link)
{
	closep(&link->fd);
}
