/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/engine.h - relay what a namespace may reach to the host's network.
 *
 * The kernel holds a new connection in a queue. The engine judges it, connects
 * to the destination from the host's network, and only then lets it go on: to
 * our listener if the destination has answered, else to the error that the
 * destination gave. Then it copies bytes between both.
 */
#pragma once

#include <stdint.h>

#include "network/inside.h"
#include "network/rules.h"

struct net_dns_want;
struct net_engine;
struct net_published;

/* One judged destination. */
struct net_record {
	enum net_protocol protocol;
	struct net_endpoint to;
	struct net_verdict verdict;
	const char *name;	 /* that leads there; NULL: none is known */
	int error;		 /* of the destination; 0: none */
	uint64_t sent, received; /* bytes; 0 for a denial */
};

struct net_engine_want {
	struct net_rules *rules;
	struct net_inside *inside;	 /* the engine takes its descriptors */
	const struct net_dns_want *dns;	 /* NULL: nobody answers DNS */
	struct net_published *published; /* NULL: none */
	/* Called for each denial, and at the end of each allowed one. */
	void (*report)(void *ctx, const struct net_record *record);
	void *ctx;
};

int net_engine_open(const struct net_engine_want *want,
		    struct net_engine **ret);
/* A descriptor that is readable when net_engine_turn has something to do. */
int net_engine_fd(const struct net_engine *engine);
/*
 * Do what can be done without waiting; returns the milliseconds after which it
 * must be called again, or -1.
 */
int net_engine_turn(struct net_engine *engine);
/*
 * Call keep for each descriptor that must stay open, besides that of
 * net_engine_fd; ends at the first error.
 */
int net_engine_keep(const struct net_engine *engine,
		    int (*keep)(void *ctx, int fd), void *ctx);
/* The process inside the namespace. */
pid_t net_engine_helper(const struct net_engine *engine);
void net_engine_close(struct net_engine *engine);
