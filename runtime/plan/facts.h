/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/facts.h - facts about the host and this process, gathered once.
 */
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
	bool in_userns; /* this process is not in the initial user namespace */
	uint64_t caps;	/* permitted set of this process */
	dev_t own_dev;	/* the runtime's own binary */
	ino_t own_ino;
	bool apparmor, selinux;
	struct cgroup_layout cgroups; /* set by facts_cgroups */
};

/* rootless is the value of --rootless: -1 auto, 0, 1. */
int facts_gather(int proc, struct host *host, int rootless, struct facts *ret);
/* This takes long, so only commands that make or change cgroups call it. */
int facts_cgroups(struct arena *arena, int proc, struct facts *facts);
