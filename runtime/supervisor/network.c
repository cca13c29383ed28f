/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/network.c - the network relay as a part of the event loop. */
#include "runtime/supervisor/network.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/loop.h"
#include "network/bundle.h"
#include "policy/policy.h"
#include "runtime/plan/make.h"
#include "runtime/supervisor/connection.h"
#include "runtime/supervisor/service.h"
#include "runtime/supervisor/supervisor.h"

int network_prepare(struct arena *arena, const struct policy *policy,
		    struct network *network)
{
	int r = 0;

	if (policy_has_rules(policy))
		r = net_plan_make(arena, policy, &network->plan);
	return r < 0 ? r :
		       net_published_open(arena, policy, &network->published);
}

static int take_turn(void *ctx)
{
	struct network *network = ctx;
	int ms = net_engine_turn(network->engine);

	loop_timer_set(network->loop, network->timer,
		       ms < 0 ? 0 : now_ms() + ms + 1);
	return 0;
}

static int ready(void *ctx, short revents)
{
	(void)revents;
	return take_turn(ctx);
}

/* Each connection needs two descriptors, and more while bytes are copied. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void report(void *ctx, const struct net_record *record)
{
	const struct network *network = ctx;
	struct connection_text text;
	struct event event = connection_event(record, &text);

	if (network->publish)
		network->publish(network->ctx, &event);
}

int network_start(struct network *network, const struct creation *c,
		  struct loop *loop)
{
	const struct prepared *p = c->prepared;
	struct net_place place = {
		.proc = p->proc,
		.pid = c->launch.pid,
		.own_users = make_has_userns(&c->in),
		.published = &network->published,
		.report = report,
		.ctx = network,
	};
	int r;

	/* Where it shares the host's network, it binds the host's ports. */
	if (!p->spec.linux_.namespaces[OCI_NS_NETWORK].listed)
		net_published_close(&network->published);
	if (!network->plan.has_rules && network->published.n == 0)
		return 0;
	raise_limit();
	r = net_plan_start(p->arena, &network->plan, &place, &network->engine);
	if (r < 0)
		return r;
	network->loop = loop;
	network->source = -1;
	network->timer = loop_timer_add(loop, take_turn, network);
	if (network->timer < 0)
		return network->timer;
	network->source = loop_add(loop, net_engine_fd(network->engine), POLLIN,
				   ready, network);
	return network->source < 0 ? network->source : take_turn(network);
}

void network_stop(struct network *network)
{
	if (network->loop) {
		loop_remove(network->loop, network->source);
		if (network->timer >= 0)
			loop_timer_remove(network->loop, network->timer);
		network->loop = NULL;
	}
	net_engine_close(network->engine);
	network->engine = NULL;
}

void network_close(struct network *network)
{
	network_stop(network);
	net_published_close(&network->published);
	arena_close(&network->arena);
}

const struct confine_network *network_needs(const struct network *network)
{
	return network ? &network->needs : NULL;
}

/* ---- the service of a bundle ---- */

/*
 * To answer the kernel's queue, a process needs CAP_NET_ADMIN for the network.
 * The owner of its user namespace has it without any capability of ours.
 */
static uint32_t find_caps(const struct prepared *p)
{
	const struct oci_namespace *users =
		&p->spec.linux_.namespaces[OCI_NS_USER];

	return users->listed && !users->path ?
		       0 :
		       1U << CAP_NET_ADMIN | 1U << CAP_NET_BIND_SERVICE;
}

static int keep(void *ctx, int fd)
{
	return supervisor_keep(ctx, fd);
}

static void publish_event(void *ctx, const struct event *event)
{
	supervisor_publish(ctx, event);
}

static void close_network(struct supervisor *s)
{
	if (s->network)
		network_close(s->network);
	s->network = NULL;
}

static int open_network(struct supervisor *s, struct creation *c)
{
	struct net_bundle *rules = c->prepared->rules;
	struct network *network;
	int r;

	if (!rules)
		return 0;
	network = arena_alloc(&s->arena, sizeof *network);
	if (!network)
		return -ENOMEM;
	*network = (struct network){
		.arena = rules->arena,
		.plan = rules->plan,
		.needs.caps = find_caps(c->prepared),
		.publish = publish_event,
		.ctx = s,
	};
	rules->arena = (struct arena){ 0 };
	s->network = network;
	r = network_start(network, c, s->loop);
	if (r >= 0)
		r = net_engine_keep(network->engine, keep, s);
	if (r < 0) {
		close_network(s);
		return r;
	}
	if (c->has_supervisor)
		create_enter_supervisor(c, net_engine_helper(network->engine));
	return 0;
}

const struct supervisor_service supervisor_network = {
	.name = "network rules",
	.open = open_network,
	.close = close_network,
};
