/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/confine.h - confine the supervisor itself, once all its
 * descriptors are open.
 *
 * What is left to it:
 * - files below the container's state directory, and descriptors it has;
 * - to signal and look at processes of the container (CAP_KILL,
 *   CAP_SYS_PTRACE), and to answer their system calls;
 * - the calls in the table of confine.c.
 * It cannot execute a program, mount, join a namespace or create a process; it
 * opens no connection unless it relays those of the container. What needs more
 * is a task of the guard.
 */
#pragma once

#include <stdint.h>

struct landlock_host;

/*
 * For the relay of network rules: sockets of IPv4 and IPv6 that connect, not
 * that listen, and these capabilities. None is needed for a network that a user
 * namespace of ours owns.
 */
struct confine_network {
	uint32_t caps; /* 1U << CAP_… */
};

/* network NULL: it relays nothing. */
int confine_supervisor(const struct landlock_host *host, int state_dir,
		       const struct confine_network *network);
