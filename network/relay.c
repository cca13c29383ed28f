/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/relay.c - copy bytes between two connections with splice(2). A
 * connection has a pipe only while bytes are on their way.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/engine_internal.h"

#define PIPE_SIZE (256 << 10)
#define ROUNDS 32 /* until other flows get their turn */
#define ALL_EVENTS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)

/* ---- pipes ---- */

static int take_pipe(struct net_engine *engine, int pipe[2])
{
	if (engine->n_spare > 0) {
		engine->n_spare--;
		pipe[0] = engine->spare[engine->n_spare][0];
		pipe[1] = engine->spare[engine->n_spare][1];
		return 0;
	}
	if (pipe2(pipe, O_NONBLOCK | O_CLOEXEC) < 0) {
		pipe[0] = pipe[1] = -1;
		return -errno;
	}
	/* A user with many of them gets smaller ones. */
	(void)fcntl(pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
	return 0;
}

static void give_pipe(struct net_engine *engine, struct net_stream *stream)
{
	int *pipe = stream->pipe;

	if (pipe[0] < 0)
		return;
	if (stream->held == 0 && engine->n_spare < SPARE_PIPES) {
		engine->spare[engine->n_spare][0] = pipe[0];
		engine->spare[engine->n_spare][1] = pipe[1];
		engine->n_spare++;
	} else {
		close(pipe[0]);
		close(pipe[1]);
	}
	pipe[0] = pipe[1] = -1;
}

/* ---- streams ---- */

enum pumped { PUMP_WAIT, PUMP_MORE, PUMP_BROKEN };

/* Write what the pipe has. */
static enum pumped drain(struct net_stream *stream, int to)
{
	while (stream->held > 0) {
		ssize_t n = splice(stream->pipe[0], NULL, to, NULL,
				   stream->held,
				   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0)
			return errno == EAGAIN ? PUMP_WAIT : PUMP_BROKEN;
		stream->held -= (size_t)n;
		stream->bytes += (uint64_t)n;
	}
	return PUMP_MORE;
}

/* Read into the pipe. */
static enum pumped fill(struct net_engine *engine, struct net_stream *stream,
			int from)
{
	ssize_t n;

	if (stream->pipe[0] < 0 && take_pipe(engine, stream->pipe) < 0)
		return PUMP_BROKEN;
	n = splice(from, NULL, stream->pipe[1], NULL, PIPE_SIZE,
		   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	if (n < 0 && errno != EAGAIN)
		return PUMP_BROKEN;
	if (n > 0) {
		stream->held = (size_t)n;
		return PUMP_MORE;
	}
	stream->ended = n == 0;
	give_pipe(engine, stream);
	return n == 0 ? PUMP_MORE : PUMP_WAIT;
}

/* Copy from one side to the other until one of them must wait. */
static enum pumped pump(struct net_engine *engine, struct net_flow *flow,
			unsigned int from)
{
	struct net_stream *stream = &flow->stream[from];
	int in = flow->side[from].fd, out = flow->side[!from].fd;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		enum pumped done = drain(stream, out);

		if (done != PUMP_MORE)
			return done;
		if (stream->ended) {
			if (!stream->shut)
				(void)shutdown(out, SHUT_WR);
			stream->shut = true;
			return PUMP_WAIT;
		}
		done = fill(engine, stream, in);
		if (done != PUMP_MORE)
			return done;
	}
	return PUMP_MORE;
}

void net_relay_reset(int fd)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

/* Let epoll report the events of both sides once more. */
static void come_again(struct net_engine *engine, struct net_flow *flow)
{
	struct epoll_event event = {
		.events = ALL_EVENTS,
		.data.ptr = &flow->side[INNER],
	};

	(void)epoll_ctl(engine->epoll, EPOLL_CTL_MOD, flow->side[INNER].fd,
			&event);
}

static void relay(struct net_engine *engine, struct net_flow *flow)
{
	enum pumped out = pump(engine, flow, INNER);
	enum pumped in = out == PUMP_BROKEN ? PUMP_BROKEN :
					      pump(engine, flow, OUTER);

	if (out == PUMP_BROKEN || in == PUMP_BROKEN) {
		flow->error = errno;
		net_relay_reset(flow->side[INNER].fd);
		net_relay_reset(flow->side[OUTER].fd);
		net_flow_end(engine, flow);
	} else if (flow->stream[INNER].shut && flow->stream[OUTER].shut) {
		net_flow_end(engine, flow);
	} else if (out == PUMP_MORE || in == PUMP_MORE) {
		come_again(engine, flow);
	}
}

void net_relay_ready(struct net_engine *engine, struct net_source *source,
		     uint32_t events)
{
	(void)events;
	relay(engine, source->flow);
}

void net_relay_start(struct net_engine *engine, struct net_flow *flow)
{
	flow->state = FLOW_OPEN;
	net_flow_keep(engine, flow);
	flow->side[INNER].ready = flow->side[OUTER].ready = net_relay_ready;
	if (net_watch(engine, &flow->side[INNER], ALL_EVENTS) < 0) {
		net_relay_reset(flow->side[INNER].fd);
		net_flow_end(engine, flow);
		return;
	}
	relay(engine, flow);
}

void net_relay_end(struct net_engine *engine, struct net_flow *flow)
{
	give_pipe(engine, &flow->stream[INNER]);
	give_pipe(engine, &flow->stream[OUTER]);
}
