/* SPDX-License-Identifier: Apache-2.0 */
/* network/batch.c - build and send a batch of netlink messages. */
#include "network/batch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/arena.h"

#define FIRST_SIZE 4096
#define ANSWER_SIZE 8192

void batch_open(struct netlink_batch *batch, struct arena *arena)
{
	*batch = (struct netlink_batch){ .arena = arena };
}

/* Return room for len bytes, zeroed up to the next multiple of four. */
static char *extend(struct netlink_batch *batch, size_t len)
{
	size_t end = batch->len + NLMSG_ALIGN(len);
	char *at;

	if (end > batch->size) {
		size_t size = batch->size ? batch->size : FIRST_SIZE;

		while (size < end)
			size *= 2;
		at = arena_grow(batch->arena, batch->bytes, batch->len, size,
				1);
		if (!at) {
			batch->full = true;
			return NULL;
		}
		batch->bytes = at;
		batch->size = size;
	}
	at = batch->bytes + batch->len;
	batch->len = end;
	return at;
}

static struct nlmsghdr *header(const struct netlink_batch *batch)
{
	return (struct nlmsghdr *)(void *)(batch->bytes + batch->message);
}

static void set_length(struct netlink_batch *batch)
{
	if (!batch->full)
		header(batch)->nlmsg_len =
			(uint32_t)(batch->len - batch->message);
}

void batch_begin(struct netlink_batch *batch, uint16_t type, uint16_t flags,
		 const void *fixed, size_t len)
{
	size_t start = batch->len;
	struct nlmsghdr h = {
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | flags,
		.nlmsg_seq = ++batch->n,
	};
	char *at = batch->full ? NULL : extend(batch, sizeof h + len);

	if (!at)
		return;
	memcpy(at, &h, sizeof h);
	memcpy(at + sizeof h, fixed, len);
	batch->message = start;
	set_length(batch);
}

void batch_put(struct netlink_batch *batch, uint16_t type, const void *data,
	       size_t len)
{
	struct nlattr attr = {
		.nla_len = (uint16_t)(NLA_HDRLEN + len),
		.nla_type = type,
	};
	char *at = batch->full ? NULL : extend(batch, NLA_HDRLEN + len);

	if (!at)
		return;
	memcpy(at, &attr, sizeof attr);
	if (len)
		memcpy(at + NLA_HDRLEN, data, len);
	set_length(batch);
}

void batch_put_text(struct netlink_batch *batch, uint16_t type,
		    const char *text)
{
	batch_put(batch, type, text, strlen(text) + 1);
}

void batch_put_u8(struct netlink_batch *batch, uint16_t type, uint8_t value)
{
	batch_put(batch, type, &value, sizeof value);
}

void batch_put_u32(struct netlink_batch *batch, uint16_t type, uint32_t value)
{
	batch_put(batch, type, &value, sizeof value);
}

void batch_put_be16(struct netlink_batch *batch, uint16_t type, uint16_t value)
{
	value = htons(value);
	batch_put(batch, type, &value, sizeof value);
}

void batch_put_be32(struct netlink_batch *batch, uint16_t type, uint32_t value)
{
	value = htonl(value);
	batch_put(batch, type, &value, sizeof value);
}

size_t batch_down(struct netlink_batch *batch, uint16_t type)
{
	size_t place = batch->len;

	batch_put(batch, type | NLA_F_NESTED, NULL, 0);
	return place;
}

void batch_up(struct netlink_batch *batch, size_t place)
{
	struct nlattr attr;

	if (batch->full)
		return;
	memcpy(&attr, batch->bytes + place, sizeof attr);
	attr.nla_len = (uint16_t)(batch->len - place);
	memcpy(batch->bytes + place, &attr, sizeof attr);
}

void batch_ask(struct netlink_batch *batch)
{
	if (!batch->full)
		header(batch)->nlmsg_flags |= NLM_F_ACK;
}

/* The number of the message that is acknowledged: the last that asks. */
static uint32_t last_asked(const struct netlink_batch *batch)
{
	uint32_t seq = 0;

	for (size_t at = 0; at < batch->len;) {
		struct nlmsghdr h;

		memcpy(&h, batch->bytes + at, sizeof h);
		if (h.nlmsg_flags & NLM_F_ACK)
			seq = h.nlmsg_seq;
		at += NLMSG_ALIGN(h.nlmsg_len);
	}
	return seq;
}

/* Look at one datagram of answers: 1 at the end, 0 to go on, or -errno. */
static int take_answers(const char *bytes, size_t n, uint32_t last,
			uint32_t *ret_failed)
{
	for (size_t at = 0; at + sizeof(struct nlmsghdr) <= n;) {
		struct nlmsghdr h;
		struct nlmsgerr e;

		memcpy(&h, bytes + at, sizeof h);
		if (h.nlmsg_len < sizeof h || h.nlmsg_len > n - at)
			return -EBADMSG;
		if (h.nlmsg_type == NLMSG_ERROR &&
		    h.nlmsg_len >= NLMSG_LENGTH(sizeof e)) {
			memcpy(&e, bytes + at + NLMSG_HDRLEN, sizeof e);
			if (e.error) {
				*ret_failed = h.nlmsg_seq;
				return e.error;
			}
			if (h.nlmsg_seq == last)
				return 1;
		}
		at += NLMSG_ALIGN(h.nlmsg_len);
	}
	return 0;
}

int batch_send(const struct netlink_batch *batch, int sock,
	       uint32_t *ret_failed)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	uint32_t last = last_asked(batch);
	char answer[ANSWER_SIZE];
	ssize_t n;
	int r = 0;

	*ret_failed = 0;
	if (batch->full)
		return -ENOMEM;
	do
		n = sendto(sock, batch->bytes, batch->len, 0,
			   (struct sockaddr *)&kernel, sizeof kernel);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	while (r == 0) {
		n = recv(sock, answer, sizeof answer, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		r = take_answers(answer, (size_t)n, last, ret_failed);
	}
	return r < 0 ? r : 0;
}
