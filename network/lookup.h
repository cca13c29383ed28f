/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/lookup.h - look up a name with sandlock-resolve while the caller goes
 * on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/pins.h"

#define NET_LOOKUP_SECONDS 10
#define NET_LOOKUP_OUTPUT 8192

struct net_lookup {
	int pidfd; /* -1: none runs */
	int out;   /* readable when the caller must call net_lookup_read */
	size_t len;
	char text[NET_LOOKUP_OUTPUT];
};

#define NET_LOOKUP_NONE                \
	{                              \
		.pidfd = -1, .out = -1 \
	}

enum net_found {
	NET_FOUND,
	NET_FOUND_NO_NAME, /* the resolver knows that there is none */
	NET_FOUND_NOTHING, /* the resolver has failed */
};

struct net_lookup_result {
	enum net_found found;
	struct net_address addresses[NET_PINS_EACH];
	size_t n;
	int64_t ttl; /* seconds; -1: unknown */
};

/* Start it for a name: 0 or -errno. Records no error. */
int net_lookup_start(struct net_lookup *lookup, const char *helper,
		     const char *name);
/* Read what it has printed; true at its end. */
bool net_lookup_read(struct net_lookup *lookup, struct net_lookup_result *ret);
/* End it, if it runs. */
void net_lookup_end(struct net_lookup *lookup);
/* Read the output of sandlock-resolve; see resolve/helper.c. */
void net_lookup_parse(char *text, struct net_lookup_result *ret);
