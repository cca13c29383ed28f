/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/publish.c - bring clients of the host's loopback to servers inside.
 * The host's port listens only while a server inside does.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "network/engine_internal.h"
#include "network/listeners.h"

#define TABLE 8192 /* more than the kernel gives at once */
#define LOOK_FIRST_MS 5
#define LOOK_MOST_MS 200
#define EVENTS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)
#define FIRST_PORT 32768
#define LAST_PORT 60999
#define TRIES 64

/* ---- servers inside ---- */

static bool find_server(int table, sa_family_t family, uint16_t port,
			struct net_endpoint *ret)
{
	char lines[TABLE];
	off_t at = 0;
	bool more = true;

	while (more && table >= 0) {
		ssize_t n = pread(table, lines, sizeof lines, at);

		if (n <= 0)
			return false;
		if (net_listeners_find(lines, (size_t)n, family, port, ret,
				       &more))
			return true;
		at += n;
	}
	return false;
}

/* IPv4 first: clients of a server for both see the usual address. */
static bool find_inside(const struct net_engine *engine, uint16_t port,
			struct net_endpoint *ret)
{
	const int *sockets = engine->inside.sockets;

	return find_server(sockets[NET_TABLE_TCP_V4], AF_INET, port, ret) ||
	       find_server(sockets[NET_TABLE_TCP_V6], AF_INET6, port, ret);
}

/* ---- the host's port ---- */

static void watch(struct net_engine *engine, struct net_publisher *p, int op)
{
	for (size_t i = 0; i < 2; i++) {
		struct epoll_event event = { .events = EPOLLIN,
					     .data.ptr = &p->sources[i] };

		if (p->sources[i].fd >= 0)
			(void)epoll_ctl(engine->epoll, op, p->sources[i].fd,
					&event);
	}
}

/* Another process may have taken the port in between: try again later. */
static void begin(struct net_engine *engine, struct net_publisher *p)
{
	if (net_port_listen(p->port) == 0)
		watch(engine, p, EPOLL_CTL_ADD);
}

static void stop(struct net_engine *engine, struct net_publisher *p)
{
	watch(engine, p, EPOLL_CTL_DEL);
	net_port_stop(p->port);
}

static void look_soon(struct net_engine *engine)
{
	engine->look_ms = LOOK_FIRST_MS;
	engine->look_at = now_ms() + engine->look_ms;
}

/* Compare the host's ports with what listens inside. */
static void look(struct net_engine *engine)
{
	for (size_t i = 0; i < engine->n_publishers; i++) {
		struct net_publisher *p = &engine->publishers[i];
		bool found = find_inside(engine, p->port->port, &p->server);

		if (found && !p->port->listens)
			begin(engine, p);
		else if (!found && p->port->listens)
			stop(engine, p);
	}
	engine->look_ms *= 2;
	if (engine->look_ms > LOOK_MOST_MS)
		engine->look_ms = LOOK_MOST_MS;
	engine->look_at = now_ms() + engine->look_ms;
}

int net_publish_turn(struct net_engine *engine)
{
	int64_t now;

	if (engine->n_publishers == 0)
		return -1;
	now = now_ms();
	if (engine->look_at <= now)
		look(engine);
	return engine->look_at > now ? (int)(engine->look_at - now) : 0;
}

/* ---- connections ---- */

static bool is_bindable(const struct net_published *published, uint16_t port)
{
	for (size_t i = 0; i < published->n_bindable; i++)
		if (port >= published->bindable[i].first &&
		    port <= published->bindable[i].last)
			return true;
	return false;
}

/*
 * The kernel inside may not choose ports itself, so that listen() without
 * bind() gets none. Choose one that the sandbox cannot bind.
 */
static int bind_some(struct net_engine *engine, int fd,
		     const struct net_address *address)
{
	int one = 1;

	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	for (unsigned int i = 0; i < TRIES; i++) {
		struct net_endpoint at = { *address, engine->next_port };
		struct sockaddr_storage own;
		socklen_t len = net_endpoint_write(&at, &own);

		if (++engine->next_port > LAST_PORT)
			engine->next_port = FIRST_PORT;
		if (!is_bindable(engine->published, at.port) &&
		    bind(fd, (struct sockaddr *)&own, len) == 0)
			return 0;
	}
	return -EADDRNOTAVAIL;
}

static int connect_in(struct net_engine *engine, const struct net_endpoint *to,
		      bool chosen)
{
	autoclose int fd =
		net_inside_stream(&engine->inside, to->address.family);
	struct sockaddr_storage address;
	socklen_t len = net_endpoint_write(to, &address);
	int one = 1, r;

	if (fd < 0)
		return fd;
	r = chosen ? bind_some(engine, fd, &to->address) : 0;
	if (r < 0)
		return r;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (connect(fd, (struct sockaddr *)&address, len) < 0 &&
	    errno != EINPROGRESS)
		return -errno;
	return take_fd(&fd);
}

static void give_up(struct net_engine *engine, struct net_flow *flow)
{
	net_relay_reset(flow->side[INNER].fd);
	net_flow_end(engine, flow);
	/* The server may have ended. */
	look_soon(engine);
}

static void connected(struct net_engine *engine, struct net_source *source,
		      uint32_t events)
{
	struct net_flow *flow = source->flow;
	socklen_t len = sizeof(int);
	int error = 0;

	(void)getsockopt(source->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error)
		give_up(engine, flow);
	else if (events & EPOLLOUT)
		net_relay_start(engine, flow);
}

/* The client is the side that was accepted: INNER, as elsewhere. */
static void take_client(struct net_engine *engine,
			const struct net_publisher *p, int fd,
			const struct net_endpoint *from)
{
	struct net_flow *flow = net_flow_add(engine, NET_TCP, from, &p->server);
	int one = 1, r;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (!flow) {
		net_relay_reset(fd);
		close(fd);
		return;
	}
	flow->state = FLOW_LATE;
	flow->published = true;
	flow->side[INNER].fd = fd;
	r = connect_in(engine, &p->server, engine->chooses_ports);
	if (r == -EADDRNOTAVAIL && !engine->chooses_ports) {
		engine->chooses_ports = true;
		r = connect_in(engine, &p->server, true);
	}
	flow->side[OUTER].fd = r < 0 ? -1 : r;
	flow->side[OUTER].ready = connected;
	if (r >= 0)
		r = net_watch(engine, &flow->side[OUTER], EVENTS);
	if (r < 0)
		give_up(engine, flow);
}

static struct net_publisher *find_publisher(struct net_engine *engine,
					    const struct net_source *source)
{
	for (size_t i = 0; i < engine->n_publishers; i++)
		for (size_t k = 0; k < 2; k++)
			if (&engine->publishers[i].sources[k] == source)
				return &engine->publishers[i];
	return NULL;
}

static void accept_clients(struct net_engine *engine, struct net_source *source,
			   uint32_t events)
{
	const struct net_publisher *p = find_publisher(engine, source);

	(void)events;
	while (p && p->port->listens) {
		struct sockaddr_storage peer;
		socklen_t len = sizeof peer;
		struct net_endpoint from;
		int fd = accept4(source->fd, (struct sockaddr *)&peer, &len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			net_tcp_refuse(engine, source->fd);
		if (fd < 0)
			return;
		if (net_endpoint_read((struct sockaddr *)&peer, len, &from) <
		    0) {
			close(fd);
			continue;
		}
		take_client(engine, p, fd, &from);
	}
}

int net_publish_open(struct net_engine *engine, struct net_published *published)
{
	if (!published || published->n == 0)
		return 0;
	engine->publishers = calloc(published->n, sizeof *engine->publishers);
	if (!engine->publishers)
		return -ENOMEM;
	engine->published = published;
	engine->n_publishers = published->n;
	engine->next_port = FIRST_PORT;
	for (size_t i = 0; i < published->n; i++) {
		struct net_publisher *p = &engine->publishers[i];

		p->port = &published->items[i];
		for (size_t k = 0; k < 2; k++)
			p->sources[k] = (struct net_source){
				.fd = p->port->fds[k],
				.ready = accept_clients,
			};
	}
	look_soon(engine);
	return 0;
}

/* The ports stay taken: another engine may use them. */
void net_publish_close(struct net_engine *engine)
{
	for (size_t i = 0; i < engine->n_publishers; i++)
		if (engine->publishers[i].port->listens)
			stop(engine, &engine->publishers[i]);
	free(engine->publishers);
	engine->publishers = NULL;
	engine->n_publishers = 0;
}
