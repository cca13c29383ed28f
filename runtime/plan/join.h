/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/join.h - namespaces that exist already, and the order to enter them. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;

struct join {
	int fds[OCI_NAMESPACES]; /* -1: not joined */
	/*
	 * Not owned by the user namespace that is entered: after entering that
	 * one, the right to join them would be gone.
	 */
	bool early[OCI_NAMESPACES];
};

#define JOIN_NONE                                         \
	{                                                 \
		.fds = { -1, -1, -1, -1, -1, -1, -1, -1 } \
	}

/* Open and check the namespaces config.json names by path. */
int join_open(const struct oci_linux *linux_, struct join *ret);
/* A sysctl must not reach the host through a namespace that is joined. */
int join_check_sysctls(const struct join *join, int proc,
		       const struct oci_linux *linux_);
/* Open the namespaces of a process, leaving out those we are in already. */
int join_of_process(int proc, pid_t pid, struct join *ret);
void join_close(struct join *join);
/* The descriptors and flags in the order to enter them; how many. */
size_t join_in_order(const struct join *join, int *ret_fds, int *ret_flags);
bool join_any(const struct join *join);
