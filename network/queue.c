/* SPDX-License-Identifier: Apache-2.0 */
/* network/queue.c - NFQUEUE by netlink. */
#include "network/queue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>

#include "base/auto.h"
#include "base/err.h"
#include "network/netlink.h"

#define MOST_HELD 65536
#define COPIED 192 /* bytes of a packet that we look at */
#define RECEIVE_SIZE (4 << 20)
#define ANSWER_SIZE 65536

#define V4_HEADER 20
#define V6_HEADER 40
#define TCP_HEADER 20

static int configure(int sock, uint16_t type, const void *data, size_t len)
{
	struct nfgenmsg m = { .res_id = htons(NET_QUEUE) };
	struct netlink_request request;

	netlink_begin(&request, NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_CONFIG,
		      NLM_F_ACK, &m, sizeof m);
	netlink_put(&request, type, data, len);
	return netlink_call(sock, &request);
}

int net_queue_open(void)
{
	autoclose int sock =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	struct nfqnl_msg_config_cmd bind_it = {
		.command = NFQNL_CFG_CMD_BIND,
		.pf = htons(AF_UNSPEC),
	};
	struct nfqnl_msg_config_params copy = {
		.copy_range = htonl(COPIED),
		.copy_mode = NFQNL_COPY_PACKET,
	};
	struct sockaddr_nl local = { .nl_family = AF_NETLINK };
	uint32_t most = htonl(MOST_HELD);
	int size = RECEIVE_SIZE, one = 1, r;

	if (sock < 0 || bind(sock, (struct sockaddr *)&local, sizeof local) < 0)
		return fail(errno, "open a netlink socket for the queue of "
				   "connections");
	r = configure(sock, NFQA_CFG_CMD, &bind_it, sizeof bind_it);
	if (r == 0)
		r = configure(sock, NFQA_CFG_PARAMS, &copy, sizeof copy);
	if (r == 0)
		r = configure(sock, NFQA_CFG_QUEUE_MAXLEN, &most, sizeof most);
	if (r < 0)
		return fail(-r, "open the queue of connections");
	/* A burst that does not fit is lost, and sent again by the kernel. */
	(void)setsockopt(sock, SOL_NETLINK, NETLINK_NO_ENOBUFS, &one,
			 sizeof one);
	(void)setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	return take_fd(&sock);
}

static void send_verdict(int queue, const struct net_packet *packet,
			 uint32_t verdict, uint32_t mark)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct nfgenmsg m = {
		.nfgen_family = packet->family,
		.res_id = htons(NET_QUEUE),
	};
	struct nfqnl_msg_verdict_hdr header = { htonl(verdict),
						htonl(packet->id) };
	struct netlink_request request;
	uint32_t value = htonl(mark);

	netlink_begin(&request, NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_VERDICT, 0,
		      &m, sizeof m);
	netlink_put(&request, NFQA_VERDICT_HDR, &header, sizeof header);
	if (mark)
		netlink_put(&request, NFQA_MARK, &value, sizeof value);
	/* A packet that is gone, with its process, needs no verdict. */
	(void)sendto(queue, request.bytes, request.header.nlmsg_len, 0,
		     (struct sockaddr *)&kernel, sizeof kernel);
}

void net_queue_accept(int queue, const struct net_packet *packet, uint32_t mark)
{
	send_verdict(queue, packet, NF_ACCEPT, mark);
}

void net_queue_drop(int queue, const struct net_packet *packet)
{
	send_verdict(queue, packet, NF_DROP, 0);
}

static void copy_endpoint(struct net_endpoint *to, sa_family_t family,
			  const uint8_t *address)
{
	*to = (struct net_endpoint){ .address.family = family };
	memcpy(to->address.bytes, address, family == AF_INET ? 4 : 16);
}

static uint16_t read_port(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

int net_packet_read(const uint8_t *bytes, size_t n, struct net_packet *ret)
{
	size_t header;

	if (n >= V4_HEADER && bytes[0] >> 4 == 4) {
		header = (size_t)(bytes[0] & 15) * 4;
		ret->family = AF_INET;
		ret->protocol = bytes[9];
		copy_endpoint(&ret->from, AF_INET, bytes + 12);
		copy_endpoint(&ret->to, AF_INET, bytes + 16);
	} else if (n >= V6_HEADER && bytes[0] >> 4 == 6) {
		header = V6_HEADER;
		ret->family = AF_INET6;
		ret->protocol = bytes[6];
		copy_endpoint(&ret->from, AF_INET6, bytes + 8);
		copy_endpoint(&ret->to, AF_INET6, bytes + 24);
	} else {
		return -EBADMSG;
	}
	if (header < V4_HEADER || header > n)
		return -EBADMSG;
	if (ret->protocol == IPPROTO_TCP && n >= header + TCP_HEADER) {
		ret->from.port = read_port(bytes + header);
		ret->to.port = read_port(bytes + header + 2);
		return 0;
	}
	if (ret->protocol != IPPROTO_ICMP && ret->protocol != IPPROTO_ICMPV6)
		return -EBADMSG;
	ret->echo_len = n - header;
	if (ret->echo_len > sizeof ret->echo)
		ret->echo_len = sizeof ret->echo;
	memcpy(ret->echo, bytes + header, ret->echo_len);
	return 0;
}

/* Read one message of the queue. */
static int read_message(const char *at, size_t n, struct net_packet *ret)
{
	const uint8_t *payload = NULL;
	size_t payload_len = 0;
	struct nfgenmsg m;
	size_t pos = NLMSG_ALIGN(sizeof m);

	*ret = (struct net_packet){ 0 };
	if (n < pos)
		return -EBADMSG;
	memcpy(&m, at, sizeof m);
	ret->family = m.nfgen_family;
	while (pos + NLA_HDRLEN <= n) {
		struct nlattr attr;
		struct nfqnl_msg_packet_hdr header;

		memcpy(&attr, at + pos, sizeof attr);
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > n - pos)
			break;
		if ((attr.nla_type & NLA_TYPE_MASK) == NFQA_PACKET_HDR &&
		    attr.nla_len >= NLA_HDRLEN + sizeof header) {
			memcpy(&header, at + pos + NLA_HDRLEN, sizeof header);
			ret->id = ntohl(header.packet_id);
		}
		if ((attr.nla_type & NLA_TYPE_MASK) == NFQA_PAYLOAD) {
			payload = (const uint8_t *)at + pos + NLA_HDRLEN;
			payload_len = attr.nla_len - (size_t)NLA_HDRLEN;
		}
		pos += NLA_ALIGN(attr.nla_len);
	}
	return payload ? net_packet_read(payload, payload_len, ret) : -EBADMSG;
}

void net_queue_read(int queue,
		    void (*take)(void *ctx, const struct net_packet *packet),
		    void *ctx)
{
	static char bytes[ANSWER_SIZE];
	ssize_t got;

	while ((got = recv(queue, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
		size_t n = (size_t)got;

		for (size_t at = 0; at + NLMSG_HDRLEN <= n;) {
			struct net_packet packet;
			struct nlmsghdr h;

			memcpy(&h, bytes + at, sizeof h);
			if (h.nlmsg_len < NLMSG_HDRLEN || h.nlmsg_len > n - at)
				break;
			if (h.nlmsg_type ==
			    (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET)) {
				int r = read_message(bytes + at + NLMSG_HDRLEN,
						     h.nlmsg_len - NLMSG_HDRLEN,
						     &packet);

				if (r == 0)
					take(ctx, &packet);
				else
					net_queue_drop(queue, &packet);
			}
			at += NLMSG_ALIGN(h.nlmsg_len);
		}
	}
}
