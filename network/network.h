/* SPDX-License-Identifier: Apache-2.0 */
/* network/network.h - what a container's network namespace needs from us. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"

struct writer;

/* Bring lo up in the caller's namespace; runs in the child: -1 and errno. */
int network_loopback_up(void);

/*
 * Move the host's interfaces into the network namespace behind netns, rename
 * them, keep their permanent global addresses, set them up.
 */
int network_move_devices(const struct oci_net_device *devices, size_t n,
			 int netns);

/*
 * The same for a network namespace that criu has made or that was joined: lo
 * is up in a new one, and in a joined one interfaces may be there already.
 */
int network_restore_devices(const struct oci_net_device *devices, size_t n,
			    int netns, bool joined);

/*
 * The counters of every interface as an array of a document under way; text is
 * what /proc/net/dev of the namespace says.
 */
void network_put_stats(struct writer *w, const char *key, const char *text);
