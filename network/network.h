/* SPDX-License-Identifier: Apache-2.0 */
/* network/network.h - set up the network namespace of a container. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;
struct network_early;
struct writer;

/* Set lo up in the caller's namespace; in the child, so -1 and errno. */
int network_loopback_up(void);

/*
 * Begin to make a network namespace, with lo up, while the caller goes on; NULL
 * if this is impossible here, and for the second time in a process. `proc` must
 * stay open until network_wait.
 */
struct network_early *network_begin(int proc);
/*
 * Wait until it is made, and return its descriptor; -1 if it could not be made,
 * and for NULL.
 */
int network_wait(struct network_early *early);

/*
 * Move interfaces of the host into the network namespace netns, rename them,
 * keep their permanent global addresses, and set them up.
 */
int network_move_devices(const struct oci_net_device *devices, size_t n,
			 int netns);

/*
 * Like network_move_devices, for a network namespace that criu has made or that
 * was joined: set lo up in a new one; in a joined one the interfaces may
 * already exist.
 */
int network_restore_devices(const struct oci_net_device *devices, size_t n,
			    int netns, bool joined);

/*
 * Write the counters of every interface as an array of a JSON document; text is
 * /proc/net/dev of the namespace.
 */
void network_put_stats(struct writer *w, const char *key, const char *text);
