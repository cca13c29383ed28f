/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/seccomp_agent.h - send a listener to
 * linux.seccomp.listenerPath.
 */
#pragma once

/*
 * Send the container process state as JSON, and the descriptor, in one message.
 */
int seccomp_agent_send(const char *listener_path, const char *json,
		       int listener_fd);
