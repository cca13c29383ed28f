/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/tighten.h - how each key of a policy meets the same key of a floor,
 * private to policy/.
 */
#pragma once

#include "policy/keys.h"

struct tighten {
	struct arena *arena;
	const struct policy *base;
	const struct policy_floor *floor;
	struct policy *ret; /* a copy of base */
};

#define POLICY_TIGHTENER(name) \
	int name(const struct tighten *t, enum policy_key key)

/* The function for a key; the unit test finds a key without one. */
POLICY_TIGHTENER((*policy_tightener(enum policy_key key)));

/* The floor must have the same value; a key that it does not set is free. */
POLICY_TIGHTENER(tighten_same);
/* Like tighten_same, but free only if the floor has no [filesystem]. */
POLICY_TIGHTENER(tighten_place);
POLICY_TIGHTENER(tighten_true);	   /* true is tighter */
POLICY_TIGHTENER(tighten_false);   /* false is tighter */
POLICY_TIGHTENER(tighten_publish); /* the same, and true by default */
POLICY_TIGHTENER(tighten_smaller); /* the smaller number */
POLICY_TIGHTENER(tighten_mode);
POLICY_TIGHTENER(tighten_env); /* both maps, no variable twice */

/* tighten_lists.c */
POLICY_TIGHTENER(tighten_sum);	  /* denials add up */
POLICY_TIGHTENER(tighten_subset); /* exceptions: only those of the floor */
POLICY_TIGHTENER(tighten_mounts); /* likewise, if the floor has [filesystem] */
POLICY_TIGHTENER(tighten_tmpfs);  /* likewise */
POLICY_TIGHTENER(tighten_files);  /* files_resolve() intersects them */
POLICY_TIGHTENER(tighten_names);
POLICY_TIGHTENER(tighten_numbers);
POLICY_TIGHTENER(tighten_gpus); /* an empty list is all of them */
POLICY_TIGHTENER(tighten_ports);
POLICY_TIGHTENER(tighten_sockets);
POLICY_TIGHTENER(tighten_net_rules);
POLICY_TIGHTENER(tighten_http_rules);
/* Like tighten_same, but free only if the floor leaves the network open. */
POLICY_TIGHTENER(tighten_proxy);
/* Like tighten_same, but free only if the floor has no rules for them. */
POLICY_TIGHTENER(tighten_http_ports);

/* Take the floor's value. */
void tighten_take(const struct tighten *t, enum policy_key key);
/* Record that the base's value would loosen the floor; return an error. */
int tighten_refuse(const struct tighten *t, enum policy_key key);
/* Record that both values have nothing in common; return an error. */
int tighten_empty(const struct tighten *t, enum policy_key key);
/* Name both origins in ret. */
int tighten_origins(const struct tighten *t, enum policy_key key);
/* True if a variable is one of these: NAME, PREFIX_*, @preset. */
bool tighten_names_has(const struct policy_names *names, const char *variable);
/* The mode that holds if network.mode is not set. */
enum policy_mode tighten_mode_of(const struct policy *policy);
/* True if a key that allows something in the network is set. */
bool tighten_allows_network(const struct policy *policy);
