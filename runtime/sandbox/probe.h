/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/probe.h - whether this host lets us: tried in a child, since no file
 * tells it for sure.
 */
#pragma once

#include <stdbool.h>

struct arena;

struct probe {
	bool works;
	const char *step; /* that failed: "make a user namespace" */
	int err;
};

/* The namespaces of a sandbox, and mounts in them; users: one of these, too. */
int probe_namespaces(bool users, struct probe *ret);
/* The filter that comes with every policy. */
int probe_seccomp(struct arena *arena, struct probe *ret);
