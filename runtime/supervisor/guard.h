/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/guard.h - the guard: it kills the container when its
 * supervisor dies, and runs tasks for which the supervisor has no rights.
 */
#pragma once

struct supervisor;

/* Fork the guard; s->guard and s->guard_pidfd are set then. */
int guard_start(struct supervisor *s);
/*
 * Fork one that runs no tasks, has no descriptors of the caller, and gets no
 * signals of its terminal; only s->guard_pidfd is set.
 */
int guard_start_alone(struct supervisor *s);
/* End and reap it, after the end of init. */
void guard_end(struct supervisor *s);
