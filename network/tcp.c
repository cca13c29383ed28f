/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/tcp.c - connections: held in the queue, connected from outside,
 * accepted inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "network/engine_internal.h"

#define ARRIVE_MS 10000 /* from the verdict to our listener */
#define OUT_EVENTS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)

/* Report the destination's error to the process that waits for it. */
static void refuse(struct net_engine *engine, const struct net_packet *packet,
		   int error)
{
	int queue = engine->inside.sockets[NET_SOCKET_QUEUE];

	/* Silence stays silence: the process has its own timeout. */
	if (error == ETIMEDOUT)
		net_queue_drop(queue, packet);
	else
		net_queue_accept(queue, packet, net_error_mark(error));
}

static void fail_flow(struct net_engine *engine, struct net_flow *flow,
		      int error)
{
	flow->error = error;
	if (flow->state == FLOW_HELD)
		refuse(engine, &flow->packet, error);
	else if (flow->side[INNER].fd >= 0)
		net_relay_reset(flow->side[INNER].fd);
	net_flow_end(engine, flow);
}

/* The connection to the destination has succeeded or failed. */
static void out_ready(struct net_engine *engine, struct net_source *source,
		      uint32_t events)
{
	struct net_flow *flow = source->flow;
	socklen_t len = sizeof(int);
	int error = 0;

	if (flow->state == FLOW_READY)
		return; /* bytes are read when it has arrived */
	(void)getsockopt(source->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		fail_flow(engine, flow, error);
		return;
	}
	if (!(events & EPOLLOUT))
		return;
	if (flow->state == FLOW_LATE) {
		net_relay_start(engine, flow);
		return;
	}
	flow->state = FLOW_READY;
	net_flow_expire(engine, flow, ARRIVE_MS);
	net_queue_accept(engine->inside.sockets[NET_SOCKET_QUEUE],
			 &flow->packet, NET_MARK_RELAY);
}

static int connect_out(struct net_engine *engine, struct net_flow *flow)
{
	int fd = net_connect_out(NET_TCP, &flow->to);

	if (fd < 0)
		return fd;
	flow->side[OUTER].fd = fd;
	flow->side[OUTER].ready = out_ready;
	return net_watch(engine, &flow->side[OUTER], OUT_EVENTS);
}

void net_tcp_held(struct net_engine *engine, const struct net_packet *packet)
{
	int queue = engine->inside.sockets[NET_SOCKET_QUEUE];
	struct net_verdict verdict;
	struct net_flow *flow =
		net_flow_find(engine, NET_TCP, &packet->from, &packet->to);
	int r;

	/* The kernel sends a SYN again while the first one is held. */
	if (flow && flow->state == FLOW_HELD) {
		net_queue_drop(queue, packet);
		return;
	}
	if (flow && flow->state == FLOW_READY) {
		net_queue_accept(queue, packet, NET_MARK_RELAY);
		return;
	}
	/* The port is used again before we have seen the end. */
	if (flow)
		net_flow_end(engine, flow);
	verdict = net_engine_judge(engine, NET_TCP, &packet->to);
	if (!verdict.allowed) {
		net_queue_accept(queue, packet, NET_MARK_PROHIBITED);
		return;
	}
	flow = net_flow_add(engine, NET_TCP, &packet->from, &packet->to);
	if (!flow) {
		refuse(engine, packet, ENOMEM);
		return;
	}
	flow->state = FLOW_HELD;
	flow->rule = verdict.rule;
	flow->packet = *packet;
	r = connect_out(engine, flow);
	if (r < 0)
		fail_flow(engine, flow, -r);
}

/* A connection that was not held: judge it now. */
static void accept_late(struct net_engine *engine, int fd,
			const struct net_endpoint *from,
			const struct net_endpoint *to)
{
	struct net_verdict verdict = net_engine_judge(engine, NET_TCP, to);
	struct net_flow *flow =
		verdict.allowed ? net_flow_add(engine, NET_TCP, from, to) :
				  NULL;
	int r;

	if (!flow) {
		net_relay_reset(fd);
		close(fd);
		return;
	}
	flow->state = FLOW_LATE;
	flow->rule = verdict.rule;
	flow->side[INNER].fd = fd;
	r = connect_out(engine, flow);
	if (r < 0)
		fail_flow(engine, flow, -r);
}

static void accept_one(struct net_engine *engine, int fd,
		       const struct net_endpoint *from,
		       const struct net_endpoint *to)
{
	struct net_flow *flow = net_flow_find(engine, NET_TCP, from, to);
	int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (flow && flow->state == FLOW_READY) {
		flow->side[INNER].fd = fd;
		net_relay_start(engine, flow);
		return;
	}
	if (flow)
		net_flow_end(engine, flow);
	accept_late(engine, fd, from, to);
}

/*
 * Without a free descriptor the connection would stay in the queue of the
 * listener for ever, and wake us again and again: refuse it.
 */
void net_tcp_refuse(struct net_engine *engine, int listener)
{
	int fd;

	closep(&engine->reserve);
	fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0) {
		net_relay_reset(fd);
		close(fd);
	}
	engine->reserve = fcntl(engine->epoll, F_DUPFD_CLOEXEC, 0);
}

void net_tcp_accept(struct net_engine *engine, struct net_source *listener,
		    uint32_t events)
{
	(void)events;
	for (;;) {
		struct sockaddr_storage peer, own;
		socklen_t peer_len = sizeof peer, own_len = sizeof own;
		struct net_endpoint from, to;
		int fd = accept4(listener->fd, (struct sockaddr *)&peer,
				 &peer_len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			net_tcp_refuse(engine, listener->fd);
		if (fd < 0)
			return;
		if (getsockname(fd, (struct sockaddr *)&own, &own_len) < 0 ||
		    net_endpoint_read((struct sockaddr *)&peer, peer_len,
				      &from) < 0 ||
		    net_endpoint_read((struct sockaddr *)&own, own_len, &to) <
			    0) {
			close(fd);
			continue;
		}
		accept_one(engine, fd, &from, &to);
	}
}
