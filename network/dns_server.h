/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/dns_server.h - answer DNS inside of a sandbox, at NET_DNS_V4.
 *
 * Only names that a rule allows are resolved, by the host's resolver. Their
 * addresses are pinned, and routes lead to them, before the answer is sent.
 */
#pragma once

struct net_dns;
struct net_engine;
struct net_rules;
struct net_routing;

struct net_dns_want {
	const char *helper;	 /* the path of sandlock-resolve */
	struct net_rules *rules; /* get the pins */
	const struct net_routing *routing;
};

/* Start to answer; the engine has its sockets. */
int net_dns_open(struct net_engine *engine, const struct net_dns_want *want,
		 struct net_dns **ret);
/*
 * End what has expired, before anything is judged; returns the milliseconds
 * after which it must be called again, or -1.
 */
int net_dns_expire(struct net_dns *dns);
void net_dns_close(struct net_dns *dns);
