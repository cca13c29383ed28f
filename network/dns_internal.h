/* SPDX-License-Identifier: Apache-2.0 */
/* network/dns_internal.h - the parts of the DNS server, for its own files. */
#pragma once

#include "base/arena.h"
#include "network/dns.h"
#include "network/engine_internal.h"
#include "network/lookup.h"
#include "network/pins.h"

#define DNS_LOOKUPS 8	/* programs at a time */
#define DNS_WAITERS 128 /* queries that wait for one */
#define DNS_CLIENTS 16	/* connections */
#define DNS_OUTPUT (4 * DNS_MOST)
#define DNS_LINGERING 1024

/* A connection; a free one has no descriptor. */
struct dns_client {
	struct net_source source;
	bool ended;	/* it sends nothing more */
	size_t waiting; /* queries without an answer */
	int64_t expires;
	size_t in_len, out_len;
	uint8_t in[2 + DNS_MOST];
	uint8_t out[DNS_OUTPUT];
};

struct dns_from {
	struct dns_client *client; /* NULL: a datagram */
	struct net_endpoint peer;  /* of a datagram */
};

struct dns_waiter {
	bool used;
	struct dns_from from;
	struct dns_query query;
	int64_t expires;
};

struct dns_lookup {
	struct net_source source; /* a free one has no descriptor */
	struct net_lookup lookup;
	char name[DNS_NAME];
	int64_t expires;
};

struct net_dns {
	struct net_engine *engine;
	const char *helper;
	struct net_rules *rules;
	const struct net_routing *routing;
	struct net_pins *pins;
	struct arena messages; /* to the kernel; cleared for each */
	struct net_source udp, tcp;
	struct dns_client clients[DNS_CLIENTS];
	struct dns_waiter waiters[DNS_WAITERS];
	struct dns_lookup lookups[DNS_LOOKUPS];
	/* Addresses without a pin, to which connections still exist. */
	struct net_address lingering[DNS_LINGERING];
	size_t n_lingering;
	int64_t sweeps; /* when to look at them again */
};

/* ---- dns_server.c ---- */
/* Take a query; false if it is malformed. */
bool dns_take(struct net_dns *dns, const struct dns_from *from,
	      const uint8_t *bytes, size_t n);
/* Forget the queries of a connection that has ended. */
void dns_forget(struct net_dns *dns, const struct dns_client *client);

/* ---- dns_tcp.c ---- */
void dns_tcp_accept(struct net_engine *engine, struct net_source *listener,
		    uint32_t events);
/* Send a message to a client, or as much as it takes now. */
void dns_tcp_send(struct dns_client *client, const uint8_t *bytes, size_t n);
/*
 * Close connections that are done, or without traffic; returns when the next
 * one must be.
 */
int64_t dns_tcp_expire(struct net_dns *dns, int64_t now);
void dns_tcp_close(struct net_dns *dns, struct dns_client *client);

/* ---- dns_routes.c ---- */
/* Let programs connect to an address that was pinned: 0 or -errno. */
int dns_admit(struct net_dns *dns, const struct net_address *address);
/*
 * Take the routes away that no pin needs any more, at once or when the last
 * connection to the address has ended; ctx is the server.
 */
void dns_withdraw(void *ctx, const struct net_address *address);
/* Look for such ends; returns when to do so again, or 0. */
int64_t dns_sweep(struct net_dns *dns, int64_t now);
