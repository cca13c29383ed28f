/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/probe.h - whether this host lets us: tried in a child, since no file
 * tells it for sure.
 */
#pragma once

#include <stdbool.h>

struct arena;

struct trial {
	bool works;
	const char *step;	/* that failed: "make a user namespace" */
	int err;
};

/* The namespaces of a sandbox, and mounts in them; users: one of these, too. */
int trial_namespaces(bool users, struct trial *ret);
/* The filter that comes with every policy. */
int trial_seccomp(struct arena *arena, struct trial *ret);
