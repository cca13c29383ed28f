/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/facts.h - what is true of this host and of this call, asked once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cgroups/cgroup.h"

struct arena;
struct host;

struct facts {
	uid_t euid;
	gid_t egid;
	bool rootless;	/* not root, or root of a user namespace only */
	bool in_userns; /* our own user namespace is not the initial one */
	uint64_t caps;	/* our own permitted set */
	dev_t own_dev;	/* our own binary */
	ino_t own_ino;
	bool apparmor, selinux;
	struct cgroup_layout cgroups; /* of facts_cgroups */
};

/* rootless: as --rootless says: -1 auto, 0, 1. */
int facts_gather(int proc, struct host *host, int rootless, struct facts *ret);
/* The one that takes long: only for who makes or changes cgroups. */
int facts_cgroups(struct arena *arena, int proc, struct facts *facts);
