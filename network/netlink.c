/* SPDX-License-Identifier: Apache-2.0 */
/* network/netlink.c - send requests of rtnetlink and read the answers. */
#include "network/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/auto.h"
#include "base/err.h"

/* The kernel splits a dump into messages of at most this size. */
#define ANSWER_SIZE 32768

void netlink_begin(struct netlink_request *request, uint16_t type,
		   uint16_t flags, const void *fixed, size_t len)
{
	*request = (struct netlink_request){ .full = false };
	request->header = (struct nlmsghdr){
		.nlmsg_len = (uint32_t)NLMSG_LENGTH(len),
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | flags,
	};
	memcpy(NLMSG_DATA(&request->header), fixed, len);
}

void netlink_put(struct netlink_request *request, uint16_t type,
		 const void *data, size_t len)
{
	size_t end = NLMSG_ALIGN(request->header.nlmsg_len);
	struct rtattr attr = {
		.rta_len = (uint16_t)RTA_LENGTH(len),
		.rta_type = type,
	};

	if (end + RTA_SPACE(len) > sizeof request->bytes) {
		request->full = true;
		return;
	}
	memcpy(request->bytes + end, &attr, sizeof attr);
	memcpy(request->bytes + end + RTA_LENGTH(0), data, len);
	request->header.nlmsg_len = (uint32_t)(end + RTA_LENGTH(len));
}

void netlink_put_text(struct netlink_request *request, uint16_t type,
		      const char *text)
{
	netlink_put(request, type, text, strlen(text) + 1);
}

int netlink_open(void)
{
	autoclose int sock =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct sockaddr_nl local = { .nl_family = AF_NETLINK };

	if (sock < 0)
		return fail(errno,
			    "create a netlink socket to configure network "
			    "interfaces");
	if (bind(sock, (struct sockaddr *)&local, sizeof local) < 0)
		return fail(
			errno,
			"bind a netlink socket to configure network interfaces");
	return take_fd(&sock);
}

static int send_request(int sock, struct netlink_request *request)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t n;

	if (request->full)
		return -EMSGSIZE;
	do
		n = sendto(sock, request->bytes, request->header.nlmsg_len, 0,
			   (struct sockaddr *)&kernel, sizeof kernel);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Process one message of an answer: 1 at the end, 0 to continue, or -errno. */
static int take_one(const struct nlmsghdr *answer,
		    int (*take)(const struct nlmsghdr *, void *), void *context)
{
	int r;

	if (answer->nlmsg_type == NLMSG_DONE)
		return 1;
	if (answer->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *err = NLMSG_DATA(answer);

		if (answer->nlmsg_len < NLMSG_LENGTH(sizeof *err))
			return -EBADMSG;
		return err->error ? err->error : 1;
	}
	r = take ? take(answer, context) : 0;
	return r < 0 ? r : 0;
}

int netlink_ask(int sock, struct netlink_request *request,
		int (*take)(const struct nlmsghdr *, void *), void *context)
{
	union {
		struct nlmsghdr header;
		char bytes[ANSWER_SIZE];
	} answer;
	int r = send_request(sock, request);

	while (r == 0) {
		const struct nlmsghdr *one = &answer.header;
		ssize_t n = recv(sock, answer.bytes, sizeof answer, MSG_TRUNC);
		unsigned int left = (unsigned int)n;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if ((size_t)n > sizeof answer)
			return -EMSGSIZE;
		for (; r == 0 && NLMSG_OK(one, left);
		     one = NLMSG_NEXT(one, left))
			r = take_one(one, take, context);
	}
	return r < 0 ? r : 0;
}

int netlink_call(int sock, struct netlink_request *request)
{
	request->header.nlmsg_flags |= NLM_F_ACK;
	return netlink_ask(sock, request, NULL, NULL);
}
