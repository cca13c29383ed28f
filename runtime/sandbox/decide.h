/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/decide.h - decide how a policy is enforced on a host, or why
 * not.
 *
 * run does what is decided here, explain prints it, and check summarises it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct host;

struct decision {
	bool no_namespaces; /* only Landlock and the filter */
	bool own_users;	    /* a user namespace of its own */
	bool cgroups;	    /* they enforce the limits */
	bool landlock;
	uint32_t assumed;      /* enum host_fact: unknown, assumed to be good */
	uint32_t missing;      /* protections that may be missing, and are */
	bool lost[KEY_COUNT];  /* limits that are not enforced */
	bool needs_namespaces; /* reason of the refusal: keys need namespaces */
	const char *refusal;   /* NULL: it runs */
};

/*
 * Decide. Facts about the host that cost a few system calls are determined when
 * they are first needed, and stored in *host. Facts that need a child or a
 * cgroup are not determined here: if one is unknown, it is assumed to be good,
 * and named in ret->assumed.
 */
int decide(struct arena *arena, const struct policy *policy, struct host *host,
	   struct decision *ret);
/*
 * Like decide, but determine those facts as well that the decision depends on,
 * with a child or a cgroup, so that nothing is assumed.
 */
int decide_surely(struct arena *arena, const struct policy *policy,
		  struct host *host, struct decision *ret);
/* True if both result in the same sandbox. */
bool decision_is_same(const struct decision *a, const struct decision *b);
/* Warn about each limit that is lost. */
void decision_tell_lost(const struct policy *policy,
			const struct decision *decision);
