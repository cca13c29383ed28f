/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/host.h - facts about this host and this process.
 *
 * A fact is determined when a function below first needs it, and then kept. A
 * test sets the facts itself, and marks them as known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "confine/landlock.h"

struct arena;

enum host_fact {
	HOST_LANDLOCK = 1 << 0,
	HOST_IN_USERNS = 1 << 1,
	HOST_MAY_MOUNT = 1 << 2,
	HOST_CONTAINER = 1 << 3,
	HOST_SECCOMP = 1 << 4,
	HOST_NAMESPACES = 1 << 5,      /* as root: without a user namespace */
	HOST_USER_NAMESPACES = 1 << 6, /* in a new user namespace */
	HOST_LIMITS = 1 << 7,
};

/* The result of a probe in a child. */
struct host_probe {
	bool works;
	const char *step; /* the step that failed: "make a user namespace" */
	int err;
};

/* Limits that a cgroup of ours can set. */
enum host_limit {
	HOST_LIMIT_MEMORY,
	HOST_LIMIT_PIDS,
	HOST_LIMIT_CPU,
	HOST_LIMIT_CPUSET,
	HOST_LIMITS_COUNT,
};

struct host {
	uint32_t asked; /* enum host_fact: the known ones */
	struct landlock_host landlock;
	bool in_userns;	       /* the user namespace is not the initial one */
	bool may_mount;	       /* CAP_SYS_ADMIN: no user namespace is needed */
	const char *container; /* evidence that this is a container, or NULL */
	struct host_probe seccomp;
	struct host_probe namespaces, user_namespaces;
	uint32_t limits; /* 1 << enum host_limit: those available */
	int cgroup_mode; /* enum cgroup_mode; known with limits */
};

const struct landlock_host *host_landlock(struct host *host);
int host_in_userns(struct host *host, int proc, bool *ret);
/* True if this process may mount without a user namespace. */
bool host_may_mount(struct host *host);
/*
 * Return the evidence that this is a container ("/run/.containerenv"), or NULL.
 * A user namespace that is not the initial one counts as a container.
 */
int host_container(struct arena *arena, struct host *host, const char **ret);
