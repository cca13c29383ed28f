/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/pins.h - names that were resolved while a sandbox runs, and the
 * addresses that they lead to for some time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/address.h"

struct net_pins;
struct net_rule;

#define NET_PINS_NAMES 1024 /* at most */
#define NET_PINS_EACH 64    /* addresses of a name */

/* How long a name stays pinned, in seconds: its TTL within these bounds. */
#define NET_TTL_LEAST 30
#define NET_TTL_MOST 3600
#define NET_TTL_UNKNOWN 60 /* the resolver has told none */
#define NET_TTL_NO_NAME 5  /* of a name that does not exist */

struct net_pinned {
	const char *name;
	bool exists; /* it may have no addresses that it may lead to */
	const struct net_address *addresses;
	size_t n;
	int64_t expires; /* as now_ms() counts */
};

/* NULL if out of memory. */
struct net_pins *net_pins_open(void);
void net_pins_close(struct net_pins *pins);
/* Bring a TTL of the resolver within the bounds; negative: unknown. */
uint32_t net_pins_ttl(int64_t seconds);
/* Find what a name (in lower case) leads to; NULL: nothing is pinned. */
const struct net_pinned *net_pins_find(const struct net_pins *pins,
				       const char *name);
/*
 * Pin a copy, instead of what was pinned for the name before. With too many
 * names, the one that would expire first ends. `gone` is called for each
 * address of a pin that ends. Returns 0, or -ENOMEM.
 */
int net_pins_put(struct net_pins *pins, const struct net_pinned *pinned,
		 void (*gone)(void *ctx, const struct net_address *address),
		 void *ctx);
/*
 * End the pins that have expired; returns when the next one does, or 0 if there
 * is none.
 */
int64_t net_pins_expire(struct net_pins *pins, int64_t now,
			void (*gone)(void *ctx,
				     const struct net_address *address),
			void *ctx);
/* Find a name that leads to the address; NULL: none. */
const char *net_pins_name(const struct net_pins *pins,
			  const struct net_address *address);
/* True if a name of the rule leads to the address. */
bool net_pins_match(const struct net_pins *pins, const struct net_rule *rule,
		    const struct net_address *address);
