/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/bundle.h - the network rules of a container: what is known before it
 * is created, in memory that its supervisor can take.
 */
#pragma once

#include "base/arena.h"
#include "network/plan.h"
#include "oci/oci.h"

struct net_bundle {
	struct arena arena; /* of the plan */
	struct net_plan plan;
	const char *hosts; /* its /etc/hosts, with names of rules; NULL: none */
};

struct net_bundle_want {
	const struct policy *policy;
	const char *path;   /* of the bundle; NULL: unknown */
	const char *rootfs; /* on the host */
	const char *hosts;  /* host path where its /etc/hosts will be written */
};

/*
 * Plan the network of a policy with rules. If they have names, a mount in spec
 * shows these in /etc/hosts. Allocates *ret and what spec points to in arena.
 */
int net_bundle_make(struct arena *arena, const struct net_bundle_want *want,
		    struct oci_spec *spec, struct net_bundle **ret);
/* Free the plan; NULL, and one that was taken, is none. */
void net_bundle_close(struct net_bundle *bundle);
