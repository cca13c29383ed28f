/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/seccomp_agent.h - linux.seccomp.listenerPath: the listener to its agent. */
#pragma once

/* The container process state as JSON, and the descriptor, in one message. */
int seccomp_agent_send(const char *listener_path, const char *json,
		       int listener_fd);
