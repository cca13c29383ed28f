/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/plan.h - from the rules of a policy to a network that enforces them.
 */
#pragma once

#include <sys/types.h>

#include "network/engine.h"
#include "network/routes.h"

struct arena;
struct net_published;
struct policy;

/* Everything that is known before anything starts. */
struct net_plan {
	bool has_rules; /* false: ports are published, nothing else */
	struct net_rules rules;
	struct net_routing routing;
	uint16_t *loopback; /* TCP ports of the host's loopback */
	size_t n_loopback;
	const char *hosts;    /* lines for /etc/hosts; "": none */
	const char *resolver; /* /etc/resolv.conf inside; NULL: the host's */
	const char *helper;   /* that resolves names while it runs */
	bool udp, icmp;	      /* the rules have this protocol */
};

/*
 * Parse the rules, resolve their names with the host's resolver and pin them.
 * Fails for a rule that cannot be enforced.
 */
int net_plan_make(struct arena *arena, const struct policy *policy,
		  struct net_plan *ret);

struct net_place {
	int proc;  /* /proc */
	pid_t pid; /* a process in the namespaces */
	bool own_users;
	struct net_published *published; /* NULL: none */
	void (*report)(void *ctx, const struct net_record *record);
	void *ctx;
};

/* Set the network up and start the engine; the process must not run yet. */
int net_plan_start(struct arena *arena, struct net_plan *plan,
		   const struct net_place *place, struct net_engine **ret);
