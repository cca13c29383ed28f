/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/probe.h - determine facts about the host by trying them in a
 * child, or on a cgroup.
 */
#pragma once

#include <stdint.h>

struct arena;
struct host;

/*
 * Determine the facts (enum host_fact) that are not known yet: the namespaces
 * of a sandbox and mounts in them, the filter that every policy has, limits.
 */
int probe_host(struct arena *arena, struct host *host, uint32_t facts);
/* Make a cgroup with each limit in turn, and remove it. */
int probe_limits(struct arena *arena, struct host *host);
