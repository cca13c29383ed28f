/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/decide.h - how a policy is enforced on a host, or why not.
 *
 * run does what is decided here, explain prints it, and check sums it up.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct host;

struct decision {
	bool no_namespaces; /* Landlock and the filter of system calls alone */
	bool own_users;	    /* a user namespace of its own */
	bool cgroups;	    /* they enforce the limits */
	bool landlock;
	uint32_t assumed;      /* enum host_fact: not known, taken to be well */
	uint32_t missing;      /* protections: not available, and not refused */
	bool lost[KEY_COUNT];  /* limits that nothing enforces */
	bool needs_namespaces; /* why it is refused: keys cannot do without */
	const char *refusal;   /* NULL: it runs */
};

/*
 * Pure, but for the facts that cost next to nothing. A fact that takes a child
 * or a cgroup to find out is assumed until it is known.
 */
int decide(struct arena *arena, const struct policy *policy, struct host *host,
	   struct decision *ret);
/* The same, with every fact that it depends on asked for. */
int decide_surely(struct arena *arena, const struct policy *policy,
		  struct host *host, struct decision *ret);
/* Whether both make the same sandbox. */
bool decision_is_same(const struct decision *a, const struct decision *b);
/* A line of warning for each limit that is lost. */
void decision_tell_lost(const struct policy *policy,
			const struct decision *decision);
