/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/join.h - existing namespaces to join, and in which order. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;

struct join {
	int fds[OCI_NAMESPACES];	 /* -1: not joined */
	uint64_t inodes[OCI_NAMESPACES]; /* of a process, joined or not */
	/*
	 * Another user namespace owns it, so join it before the container's
	 * user namespace: afterwards the right to join it is lost.
	 */
	bool early[OCI_NAMESPACES];
};

#define JOIN_NONE                                         \
	{                                                 \
		.fds = { -1, -1, -1, -1, -1, -1, -1, -1 } \
	}

/* Open and check the namespaces that config.json names by path. */
int join_open(const struct oci_linux *linux_, struct join *ret);
/* Fail if a sysctl would change the host through a joined namespace. */
int join_check_sysctls(const struct join *join, int proc,
		       const struct oci_linux *linux_);
/* Open the namespaces of a process, except those this process is in. */
int join_of_process(int proc, pid_t pid, struct join *ret);
void join_close(struct join *join);
/* Fill in descriptors and flags in the order to join them; return how many. */
size_t join_in_order(const struct join *join, int *ret_fds, int *ret_flags);
bool join_any(const struct join *join);
