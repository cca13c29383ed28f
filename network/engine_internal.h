/* SPDX-License-Identifier: Apache-2.0 */
/* network/engine_internal.h - the parts of the engine, for its own files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/engine.h"
#include "network/published.h"
#include "network/queue.h"

struct net_dns;
struct net_engine;
struct net_flow;

/* A descriptor in the engine's epoll. */
struct net_source {
	int fd;
	/* Called with the events of epoll(7). */
	void (*ready)(struct net_engine *engine, struct net_source *source,
		      uint32_t events);
	struct net_flow *flow; /* NULL: a listener */
};

enum net_flow_state {
	FLOW_HELD,  /* its SYN is in the queue, we connect */
	FLOW_READY, /* we are connected; it will arrive at our listener */
	FLOW_LATE,  /* it has arrived, we connect */
	FLOW_OPEN,  /* bytes are relayed */
	FLOW_DEAD,  /* freed at the end of the turn */
};

enum { INNER, OUTER };

/* One direction of a relay, named after its source: INNER or OUTER. */
struct net_stream {
	int pipe[2];
	size_t held; /* bytes in the pipe */
	uint64_t bytes;
	bool ended;
	bool shut; /* the other side was told */
};

struct net_flow {
	enum net_protocol protocol;
	enum net_flow_state state;
	struct net_endpoint from, to;
	struct net_source side[2];
	struct net_stream stream[2];
	struct net_packet packet; /* the held one */
	const char *rule;
	bool published; /* a client of the host: INNER is its connection */
	int error;
	int64_t expires;       /* as now_ms() counts; 0: never */
	struct net_flow *next; /* with the same hash */
	struct net_flow *next_dead;
	struct net_flow *before, *after; /* in the list of those that expire */
};

/* A port of the sandbox on the host's loopback. */
struct net_publisher {
	struct net_port *port;
	struct net_source sources[2]; /* its sockets: IPv4, IPv6 */
	struct net_endpoint server;   /* inside, while it listens */
};

#define FLOW_BUCKETS 4096
#define SPARE_PIPES 64

struct net_engine {
	struct net_rules *rules;
	struct net_inside inside;
	void (*report)(void *ctx, const struct net_record *record);
	void *ctx;
	int epoll;
	int reserve; /* closed to accept and refuse when there is no other */
	struct net_source listeners[NET_SOCKETS];
	struct net_flow *buckets[FLOW_BUCKETS];
	struct net_flow *dead;
	struct net_flow *first, *last; /* that expire */
	size_t n_flows, n_datagram;
	int spare[SPARE_PIPES][2];
	size_t n_spare;
	struct net_dns *dns; /* NULL: none */
	struct net_published *published;
	struct net_publisher *publishers;
	size_t n_publishers;
	int64_t look_at;    /* for servers inside, as now_ms() counts */
	int look_ms;	    /* until the next look */
	bool chooses_ports; /* the kernel inside must not */
	uint16_t next_port;
};

/* ---- engine.c ---- */
int net_watch(struct net_engine *engine, struct net_source *source,
	      uint32_t events);
struct net_flow *net_flow_find(struct net_engine *engine,
			       enum net_protocol protocol,
			       const struct net_endpoint *from,
			       const struct net_endpoint *to);
/* NULL if out of memory. */
struct net_flow *net_flow_add(struct net_engine *engine,
			      enum net_protocol protocol,
			      const struct net_endpoint *from,
			      const struct net_endpoint *to);
void net_flow_end(struct net_engine *engine, struct net_flow *flow);
/* True if a flow leads to the address. */
bool net_flow_exists(const struct net_engine *engine,
		     const struct net_address *to);
/* End the flow after so many milliseconds unless this is called again. */
void net_flow_expire(struct net_engine *engine, struct net_flow *flow, int ms);
void net_flow_keep(struct net_engine *engine, struct net_flow *flow);
/* Judge a destination; reports a denial. */
struct net_verdict net_engine_judge(struct net_engine *engine,
				    enum net_protocol protocol,
				    const struct net_endpoint *to);
/* A socket of the host's network, connecting to the destination. */
int net_connect_out(enum net_protocol protocol, const struct net_endpoint *to);
/* The mark that makes the kernel report an error of the destination. */
uint32_t net_error_mark(int error);

/* ---- tcp.c ---- */
void net_tcp_held(struct net_engine *engine, const struct net_packet *packet);
void net_tcp_accept(struct net_engine *engine, struct net_source *listener,
		    uint32_t events);
/* Refuse a connection, as no descriptor is free for it. */
void net_tcp_refuse(struct net_engine *engine, int listener);
/* ---- publish.c ---- */
int net_publish_open(struct net_engine *engine,
		     struct net_published *published);
/* Look for servers inside; the milliseconds until the next time, or -1. */
int net_publish_turn(struct net_engine *engine);
void net_publish_close(struct net_engine *engine);
/* ---- relay.c ---- */
void net_relay_start(struct net_engine *engine, struct net_flow *flow);
void net_relay_ready(struct net_engine *engine, struct net_source *source,
		     uint32_t events);
void net_relay_end(struct net_engine *engine, struct net_flow *flow);
/* Have close() reset the connection. */
void net_relay_reset(int fd);
/* ---- udp.c ---- */
void net_udp_first(struct net_engine *engine, struct net_source *listener,
		   uint32_t events);
/* ---- ping.c ---- */
void net_ping_held(struct net_engine *engine, const struct net_packet *packet);
