/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/udp.c - datagrams: a flow for each pair of endpoints. Its first
 * datagram comes to our listener; a socket bound to the destination takes the
 * others, so that answers have the right source.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "network/engine_internal.h"
#include "network/unreachable.h"

#define DATAGRAM 65536
#define MOST_FLOWS 4096
#define IDLE_MS 30000
#define IDLE_DNS_MS 5000
#define ROUNDS 64

static char buffer[DATAGRAM];

static void stay(struct net_engine *engine, struct net_flow *flow)
{
	net_flow_expire(engine, flow,
			flow->to.port == 53 ? IDLE_DNS_MS : IDLE_MS);
}

/* Tell the process inside what the destination's host has said. */
static void tell_unreachable(struct net_engine *engine,
			     const struct net_flow *flow)
{
	enum net_socket raw = flow->to.address.family == AF_INET ?
				      NET_SOCKET_RAW_V4 :
				      NET_SOCKET_RAW_V6;

	net_unreachable_send(engine->inside.sockets[raw], &flow->from,
			     &flow->to);
}

static void send_out(struct net_engine *engine, struct net_flow *flow, size_t n)
{
	ssize_t sent = send(flow->side[OUTER].fd, buffer, n, MSG_DONTWAIT);

	/* The error belongs to an earlier datagram: send this one again. */
	if (sent < 0 && errno == ECONNREFUSED) {
		tell_unreachable(engine, flow);
		sent = send(flow->side[OUTER].fd, buffer, n, MSG_DONTWAIT);
	}
	if (sent >= 0)
		flow->stream[INNER].bytes += (uint64_t)sent;
}

static void inner_ready(struct net_engine *engine, struct net_source *source,
			uint32_t events)
{
	struct net_flow *flow = source->flow;

	(void)events;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ssize_t n =
			recv(source->fd, buffer, sizeof buffer, MSG_DONTWAIT);

		if (n < 0)
			break;
		send_out(engine, flow, (size_t)n);
	}
	stay(engine, flow);
}

static void outer_ready(struct net_engine *engine, struct net_source *source,
			uint32_t events)
{
	struct net_flow *flow = source->flow;

	(void)events;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ssize_t n =
			recv(source->fd, buffer, sizeof buffer, MSG_DONTWAIT);

		if (n < 0 && errno == ECONNREFUSED) {
			tell_unreachable(engine, flow);
			continue;
		}
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			continue;
		n = send(flow->side[INNER].fd, buffer, (size_t)n, MSG_DONTWAIT);
		if (n >= 0)
			flow->stream[OUTER].bytes += (uint64_t)n;
	}
	stay(engine, flow);
}

/* A socket inside with the destination's address, connected to the sender. */
static int make_inner(struct net_engine *engine, const struct net_flow *flow)
{
	autoclose int fd =
		net_inside_datagram(&engine->inside, flow->to.address.family);
	struct sockaddr_storage own, peer;
	socklen_t own_len = net_endpoint_write(&flow->to, &own);
	socklen_t peer_len = net_endpoint_write(&flow->from, &peer);

	if (fd < 0)
		return fd;
	if (bind(fd, (struct sockaddr *)&own, own_len) < 0 ||
	    connect(fd, (struct sockaddr *)&peer, peer_len) < 0)
		return -errno;
	return take_fd(&fd);
}

static int open_flow(struct net_engine *engine, struct net_flow *flow)
{
	int r;

	flow->state = FLOW_OPEN;
	flow->side[OUTER].fd = net_connect_out(NET_UDP, &flow->to);
	flow->side[OUTER].ready = outer_ready;
	if (flow->side[OUTER].fd < 0)
		return flow->side[OUTER].fd;
	flow->side[INNER].fd = make_inner(engine, flow);
	flow->side[INNER].ready = inner_ready;
	if (flow->side[INNER].fd < 0)
		return flow->side[INNER].fd;
	r = net_watch(engine, &flow->side[OUTER], EPOLLIN);
	return r < 0 ? r : net_watch(engine, &flow->side[INNER], EPOLLIN);
}

static struct net_flow *make_flow(struct net_engine *engine,
				  const struct net_endpoint *from,
				  const struct net_endpoint *to)
{
	struct net_verdict verdict = net_engine_judge(engine, NET_UDP, to);
	struct net_flow *flow;
	int r;

	if (!verdict.allowed || engine->n_datagram >= MOST_FLOWS)
		return NULL;
	flow = net_flow_add(engine, NET_UDP, from, to);
	if (!flow)
		return NULL;
	engine->n_datagram++;
	flow->rule = verdict.rule;
	r = open_flow(engine, flow);
	if (r < 0) {
		flow->error = -r;
		tell_unreachable(engine, flow);
		net_flow_end(engine, flow);
		return NULL;
	}
	return flow;
}

/* The destination that the sender had in mind. */
static int read_destination(struct msghdr *msg, struct net_endpoint *ret)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if ((c->cmsg_level == SOL_IP &&
		     c->cmsg_type == IP_ORIGDSTADDR) ||
		    (c->cmsg_level == SOL_IPV6 &&
		     c->cmsg_type == IPV6_ORIGDSTADDR))
			return net_endpoint_read((struct sockaddr *)(void *)
							 CMSG_DATA(c),
						 (socklen_t)(c->cmsg_len -
							     CMSG_LEN(0)),
						 ret);
	return -EBADMSG;
}

void net_udp_first(struct net_engine *engine, struct net_source *listener,
		   uint32_t events)
{
	(void)events;
	for (;;) {
		union {
			char bytes[256];
			struct cmsghdr align;
		} control;
		struct sockaddr_storage sender;
		struct iovec iov = { buffer, sizeof buffer };
		struct msghdr msg = {
			.msg_name = &sender,
			.msg_namelen = sizeof sender,
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.bytes,
			.msg_controllen = sizeof control.bytes,
		};
		struct net_endpoint from, to;
		struct net_flow *flow;
		ssize_t n = recvmsg(listener->fd, &msg, MSG_DONTWAIT);

		if (n < 0)
			return;
		if (net_endpoint_read((struct sockaddr *)&sender,
				      msg.msg_namelen, &from) < 0 ||
		    read_destination(&msg, &to) < 0)
			continue;
		flow = net_flow_find(engine, NET_UDP, &from, &to);
		if (!flow)
			flow = make_flow(engine, &from, &to);
		if (!flow)
			continue;
		send_out(engine, flow, (size_t)n);
		stay(engine, flow);
	}
}
