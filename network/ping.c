/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/ping.c - echo requests: held until the destination has answered one
 * of ours, then answered by the namespace itself.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "network/engine_internal.h"

#define MOST_PINGS 256
#define ANSWER_MS 5000
#define ECHO_HEADER 8

static void answer(struct net_engine *engine, struct net_flow *flow, int error)
{
	int queue = engine->inside.sockets[NET_SOCKET_QUEUE];

	flow->error = error;
	flow->state = FLOW_OPEN; /* the first packet was let go */
	net_queue_accept(queue, &flow->packet,
			 error ? net_error_mark(error) : 0);
	net_flow_end(engine, flow);
}

static void reply_ready(struct net_engine *engine, struct net_source *source,
			uint32_t events)
{
	char bytes[NET_ECHO_SIZE];
	ssize_t n = recv(source->fd, bytes, sizeof bytes, MSG_DONTWAIT);

	(void)events;
	if (n < 0 && errno == EAGAIN)
		return;
	answer(engine, source->flow, n < 0 ? errno : 0);
}

static int send_echo(struct net_engine *engine, struct net_flow *flow)
{
	struct net_source *outer = &flow->side[OUTER];

	outer->fd = net_connect_out(NET_ICMP, &flow->to);
	if (outer->fd < 0)
		return outer->fd;
	outer->ready = reply_ready;
	if (send(outer->fd, flow->packet.echo, flow->packet.echo_len,
		 MSG_DONTWAIT) < 0)
		return -errno;
	return net_watch(engine, outer, EPOLLIN);
}

void net_ping_held(struct net_engine *engine, const struct net_packet *packet)
{
	int queue = engine->inside.sockets[NET_SOCKET_QUEUE];
	struct net_verdict verdict =
		net_engine_judge(engine, NET_ICMP, &packet->to);
	struct net_endpoint from = packet->from;
	struct net_flow *flow = NULL;
	int r;

	if (!verdict.allowed) {
		net_queue_accept(queue, packet, NET_MARK_PROHIBITED);
		return;
	}
	if (packet->echo_len >= ECHO_HEADER &&
	    engine->n_datagram < MOST_PINGS) {
		/* The sequence number tells requests of a process apart. */
		from.port = (uint16_t)(packet->echo[6] << 8 | packet->echo[7]);
		flow = net_flow_add(engine, NET_ICMP, &from, &packet->to);
	}
	if (!flow) {
		net_queue_drop(queue, packet);
		return;
	}
	engine->n_datagram++;
	flow->state = FLOW_HELD;
	flow->rule = verdict.rule;
	flow->packet = *packet;
	net_flow_expire(engine, flow, ANSWER_MS);
	r = send_echo(engine, flow);
	if (r < 0)
		answer(engine, flow, -r);
}
