/* SPDX-License-Identifier: Apache-2.0 */
/* network/resolve.h - look up names with the host's resolver. */
#pragma once

#include <stddef.h>

#include "network/address.h"

struct arena;

/*
 * Look up a name with sandlock-resolve. Fails, naming it, if it has no address
 * or if the resolver does not answer in time.
 */
int net_resolve(struct arena *arena, const char *name, struct net_address **ret,
		size_t *ret_n);
/* Get the path of sandlock-resolve; fails if it is not installed. */
int net_resolve_helper(struct arena *arena, const char **ret);
