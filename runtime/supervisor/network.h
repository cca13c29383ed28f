/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/network.h - relay the network of the sandbox while it runs. */
#pragma once

#include "network/plan.h"
#include "network/published.h"
#include "runtime/container/create.h"
#include "runtime/supervisor/confine.h"

struct event;
struct loop;

struct network {
	struct arena arena; /* of the plan of a bundle */
	struct net_plan plan;
	struct net_published published; /* ports of the sandbox */
	struct net_engine *engine;	/* NULL: none */
	struct loop *loop;
	int source, timer; /* in the loop */
	struct confine_network needs;
	/* Called with an event for each judged destination; or NULL. */
	void (*publish)(void *ctx, const struct event *event);
	void *ctx;
};

#define NETWORK_NONE           \
	{                      \
		.engine = NULL \
	}

/*
 * Resolve the names of the rules and take ports of the host, before anything
 * starts.
 */
int network_prepare(struct arena *arena, const struct policy *policy,
		    struct network *network);
/* Start the relay; the child waits to be let go. */
int network_start(struct network *network, const struct creation *creation,
		  struct loop *loop);
/* End the relay; another one may be started. */
void network_stop(struct network *network);
/* End it, and give the ports back. */
void network_close(struct network *network);
/* What a confined supervisor needs for it; NULL if it is NULL. */
const struct confine_network *network_needs(const struct network *network);
