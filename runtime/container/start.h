/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/start.h - from a process that waits to a program that runs: the
 * hooks around it, and the last look.
 */
#pragma once

#include "runtime/container/container.h"
#include "runtime/container/session.h"
#include "runtime/launch/launch.h"

/* `start`: connect, hooks, GO, exec, hooks. */
int start_open_gate(const struct session *session, struct container *container);
/*
 * Before any effect: who enters for hooks, or where a pid namespace is shared,
 * is seen inside.
 */
int start_protect(const struct oci_spec *spec, unsigned int preserved);
/* startContainer hooks, inside. */
int start_hooks_before(const struct session *session,
		       struct container *container,
		       const struct oci_spec *spec);
/* After exec: it is not our own binary that runs there; poststart hooks. */
int start_after(const struct session *session, struct container *container,
		const struct oci_spec *spec);
