/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/start.h - start the program of a created container, with
 * its hooks and the check of its binary.
 */
#pragma once

#include "runtime/container/container.h"
#include "runtime/container/session.h"
#include "runtime/launch/launch.h"

/* `start`: connect, run hooks, send GO, wait for exec, run hooks. */
int start_open_gate(const struct session *session, struct container *container);
/*
 * Protect our binary before any effect if a process of ours is visible inside:
 * when it enters for hooks, or when a pid namespace is shared.
 */
int start_protect(const struct oci_spec *spec, unsigned int preserved);
/* Run the startContainer hooks, inside. */
int start_hooks_before(const struct session *session,
		       struct container *container,
		       const struct oci_spec *spec);
/*
 * After exec, check that the program is not our own binary; run poststart
 * hooks.
 */
int start_after(const struct session *session, int proc,
		struct container *container, const struct oci_spec *spec);
