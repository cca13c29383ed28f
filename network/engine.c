/* SPDX-License-Identifier: Apache-2.0 */
/* network/engine.c - flows, and the events that move them. */
#include "network/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/util.h"
#include "network/dns_server.h"
#include "network/engine_internal.h"

#define EVENTS 128
#define FNV_START 2166136261U
#define FNV_PRIME 16777619U

int net_watch(struct net_engine *engine, struct net_source *source,
	      uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	return epoll_ctl(engine->epoll, EPOLL_CTL_ADD, source->fd, &event) < 0 ?
		       -errno :
		       0;
}

/* ---- flows ---- */

static uint32_t hash_endpoint(uint32_t hash, const struct net_endpoint *e)
{
	for (size_t i = 0; i < sizeof e->address.bytes; i++)
		hash = (hash ^ e->address.bytes[i]) * FNV_PRIME;
	hash = (hash ^ (e->port & 0xff)) * FNV_PRIME;
	return (hash ^ (e->port >> 8)) * FNV_PRIME;
}

static struct net_flow **bucket_of(struct net_engine *engine,
				   enum net_protocol protocol,
				   const struct net_endpoint *from,
				   const struct net_endpoint *to)
{
	uint32_t hash = (FNV_START ^ protocol) * FNV_PRIME;

	hash = hash_endpoint(hash_endpoint(hash, from), to);
	return &engine->buckets[hash % FLOW_BUCKETS];
}

static bool same_endpoint(const struct net_endpoint *a,
			  const struct net_endpoint *b)
{
	return a->port == b->port &&
	       net_address_equal(&a->address, &b->address);
}

struct net_flow *net_flow_find(struct net_engine *engine,
			       enum net_protocol protocol,
			       const struct net_endpoint *from,
			       const struct net_endpoint *to)
{
	struct net_flow *flow = *bucket_of(engine, protocol, from, to);

	while (flow && (flow->protocol != protocol ||
			!same_endpoint(&flow->from, from) ||
			!same_endpoint(&flow->to, to)))
		flow = flow->next;
	return flow;
}

struct net_flow *net_flow_add(struct net_engine *engine,
			      enum net_protocol protocol,
			      const struct net_endpoint *from,
			      const struct net_endpoint *to)
{
	struct net_flow **bucket = bucket_of(engine, protocol, from, to);
	struct net_flow *flow = calloc(1, sizeof *flow);

	if (!flow)
		return NULL;
	flow->protocol = protocol;
	flow->from = *from;
	flow->to = *to;
	for (size_t i = 0; i < 2; i++) {
		flow->side[i].fd = -1;
		flow->side[i].flow = flow;
		flow->stream[i].pipe[0] = flow->stream[i].pipe[1] = -1;
	}
	flow->next = *bucket;
	*bucket = flow;
	engine->n_flows++;
	return flow;
}

void net_flow_keep(struct net_engine *engine, struct net_flow *flow)
{
	if (!flow->expires)
		return;
	flow->expires = 0;
	*(flow->before ? &flow->before->after : &engine->first) = flow->after;
	*(flow->after ? &flow->after->before : &engine->last) = flow->before;
	flow->before = flow->after = NULL;
}

/* The list is sorted: start from its end, where most belong. */
void net_flow_expire(struct net_engine *engine, struct net_flow *flow, int ms)
{
	struct net_flow *before;

	net_flow_keep(engine, flow);
	flow->expires = now_ms() + ms;
	before = engine->last;
	while (before && before->expires > flow->expires)
		before = before->before;
	flow->before = before;
	flow->after = before ? before->after : engine->first;
	*(before ? &before->after : &engine->first) = flow;
	*(flow->after ? &flow->after->before : &engine->last) = flow;
}

static void report_end(struct net_engine *engine, const struct net_flow *flow)
{
	struct net_record record = {
		.protocol = flow->protocol,
		.to = flow->to,
		.verdict = { true, flow->rule },
		.name = net_rules_name(engine->rules, &flow->to.address),
		.error = flow->error,
		.sent = flow->stream[INNER].bytes,
		.received = flow->stream[OUTER].bytes,
	};

	if (engine->report && !flow->published)
		engine->report(engine->ctx, &record);
}

/* Events of this turn may still point to it. */
void net_flow_end(struct net_engine *engine, struct net_flow *flow)
{
	struct net_flow **at =
		bucket_of(engine, flow->protocol, &flow->from, &flow->to);

	if (flow->state == FLOW_DEAD)
		return;
	report_end(engine, flow);
	net_flow_keep(engine, flow);
	while (*at != flow)
		at = &(*at)->next;
	*at = flow->next;
	net_relay_end(engine, flow);
	for (size_t i = 0; i < 2; i++)
		closep(&flow->side[i].fd);
	flow->state = FLOW_DEAD;
	flow->next_dead = engine->dead;
	engine->dead = flow;
	engine->n_flows--;
	if (flow->protocol != NET_TCP)
		engine->n_datagram--;
}

bool net_flow_exists(const struct net_engine *engine,
		     const struct net_address *to)
{
	for (size_t i = 0; i < FLOW_BUCKETS; i++)
		for (const struct net_flow *flow = engine->buckets[i]; flow;
		     flow = flow->next)
			if (net_address_equal(&flow->to.address, to))
				return true;
	return false;
}

static void bury(struct net_engine *engine)
{
	while (engine->dead) {
		struct net_flow *flow = engine->dead;

		engine->dead = flow->next_dead;
		free(flow);
	}
}

static int expire_flows(struct net_engine *engine)
{
	int64_t now = now_ms();

	while (engine->first && engine->first->expires <= now) {
		struct net_flow *flow = engine->first;

		if (flow->state == FLOW_HELD)
			net_queue_drop(engine->inside.sockets[NET_SOCKET_QUEUE],
				       &flow->packet);
		net_flow_end(engine, flow);
	}
	return engine->first ? (int)(engine->first->expires - now) : -1;
}

/* ---- destinations ---- */

struct net_verdict net_engine_judge(struct net_engine *engine,
				    enum net_protocol protocol,
				    const struct net_endpoint *to)
{
	struct net_question question = { protocol, *to };
	struct net_record record = {
		.protocol = protocol,
		.to = *to,
		.verdict = net_rules_judge(engine->rules, &question),
		.error = EACCES,
	};

	if (!record.verdict.allowed && engine->report) {
		record.name = net_rules_name(engine->rules, &to->address);
		engine->report(engine->ctx, &record);
	}
	return record.verdict;
}

static int make_socket(enum net_protocol protocol, sa_family_t family)
{
	int type = protocol == NET_TCP ? SOCK_STREAM : SOCK_DGRAM;
	int number = 0, one = 1, fd;

	if (protocol == NET_ICMP)
		number = family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;
	fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, number);
	if (fd < 0)
		return -errno;
	if (protocol == NET_TCP) {
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one,
				 sizeof one);
		(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one,
				 sizeof one);
	}
	return fd;
}

int net_connect_out(enum net_protocol protocol, const struct net_endpoint *to)
{
	struct sockaddr_storage address;
	socklen_t len = net_endpoint_write(to, &address);
	autoclose int fd = make_socket(protocol, to->address.family);

	if (fd < 0)
		return fd;
	if (connect(fd, (struct sockaddr *)&address, len) < 0 &&
	    errno != EINPROGRESS)
		return -errno;
	return take_fd(&fd);
}

uint32_t net_error_mark(int error)
{
	switch (error) {
	case ECONNREFUSED:
		return NET_MARK_REFUSED;
	case ENETUNREACH:
	case EAFNOSUPPORT:
		return NET_MARK_NET_UNREACHABLE;
	case EACCES:
	case EPERM:
		return NET_MARK_PROHIBITED;
	default:
		return NET_MARK_HOST_UNREACHABLE;
	}
}

/* ---- the queue ---- */

static void take_packet(void *ctx, const struct net_packet *packet)
{
	struct net_engine *engine = ctx;

	if (packet->protocol == IPPROTO_TCP)
		net_tcp_held(engine, packet);
	else
		net_ping_held(engine, packet);
}

static void queue_ready(struct net_engine *engine, struct net_source *source,
			uint32_t events)
{
	(void)events;
	net_queue_read(source->fd, take_packet, engine);
}

/* ---- the engine ---- */

static int watch_listeners(struct net_engine *engine)
{
	static const struct {
		enum net_socket number;
		void (*ready)(struct net_engine *, struct net_source *,
			      uint32_t);
	} all[] = {
		{ NET_SOCKET_QUEUE, queue_ready },
		{ NET_SOCKET_TCP_V4, net_tcp_accept },
		{ NET_SOCKET_TCP_V6, net_tcp_accept },
		{ NET_SOCKET_UDP_V4, net_udp_first },
		{ NET_SOCKET_UDP_V6, net_udp_first },
	};

	for (size_t i = 0; i < COUNT(all); i++) {
		struct net_source *source = &engine->listeners[all[i].number];
		int r;

		source->fd = engine->inside.sockets[all[i].number];
		source->ready = all[i].ready;
		r = source->fd < 0 ? 0 : net_watch(engine, source, EPOLLIN);
		if (r < 0)
			return fail(-r, "watch the sockets of the sandbox");
	}
	return 0;
}

int net_engine_open(const struct net_engine_want *want, struct net_engine **ret)
{
	struct net_engine *engine = calloc(1, sizeof *engine);
	int r;

	if (!engine)
		return fail(ENOMEM, "start the network relay");
	engine->rules = want->rules;
	engine->report = want->report;
	engine->ctx = want->ctx;
	engine->inside = *want->inside;
	*want->inside = (struct net_inside)NET_INSIDE_NONE;
	engine->epoll = epoll_create1(EPOLL_CLOEXEC);
	engine->reserve = fcntl(engine->epoll, F_DUPFD_CLOEXEC, 0);
	r = engine->reserve < 0 ? fail(errno, "create an epoll descriptor") :
				  watch_listeners(engine);
	if (r == 0 && want->dns)
		r = net_dns_open(engine, want->dns, &engine->dns);
	if (r >= 0)
		r = net_publish_open(engine, want->published);
	if (r < 0) {
		net_engine_close(engine);
		return r;
	}
	*ret = engine;
	return 0;
}

int net_engine_fd(const struct net_engine *engine)
{
	return engine->epoll;
}

int net_engine_keep(const struct net_engine *engine,
		    int (*keep)(void *ctx, int fd), void *ctx)
{
	const int own[] = { engine->reserve, engine->inside.pidfd,
			    engine->inside.link };
	int r = 0;

	for (size_t i = 0; i < COUNT(own) && r == 0; i++)
		r = keep(ctx, own[i]);
	for (size_t i = 0; i < NET_SOCKETS && r == 0; i++)
		if (engine->inside.sockets[i] >= 0)
			r = keep(ctx, engine->inside.sockets[i]);
	return r;
}

pid_t net_engine_helper(const struct net_engine *engine)
{
	return engine->inside.pid;
}

/* -1 is never. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

int net_engine_turn(struct net_engine *engine)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(engine->epoll, events, EVENTS, 0), dns;

	if (engine->dns)
		(void)net_dns_expire(engine->dns);
	for (int i = 0; i < n; i++) {
		struct net_source *source = events[i].data.ptr;

		if (!source->flow || source->flow->state != FLOW_DEAD)
			source->ready(engine, source, events[i].events);
	}
	n = sooner(expire_flows(engine), net_publish_turn(engine));
	bury(engine);
	dns = engine->dns ? net_dns_expire(engine->dns) : -1;
	return sooner(n, dns);
}

void net_engine_close(struct net_engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; i < FLOW_BUCKETS; i++)
		while (engine->buckets[i])
			net_flow_end(engine, engine->buckets[i]);
	bury(engine);
	net_publish_close(engine);
	while (engine->n_spare > 0) {
		engine->n_spare--;
		close(engine->spare[engine->n_spare][0]);
		close(engine->spare[engine->n_spare][1]);
	}
	net_dns_close(engine->dns);
	net_inside_close(&engine->inside);
	closep(&engine->reserve);
	closep(&engine->epoll);
	free(engine);
}
