/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/stops.h - what the parent does for the child at its stops. */
#pragma once

#include <sys/types.h>

struct arena;
struct launch;

/*
 * At MOUNTED: move interfaces, run prestart, createRuntime and createContainer.
 */
int stops_answer_mounted(struct launch *launch);
/*
 * Set process.oomScoreAdj from the parent: lowering it needs a capability of
 * the host.
 */
int process_oom_score(const struct launch *launch);
/* Set process.rlimits from the parent, as the child is in a user namespace. */
int process_rlimits(const struct launch *launch);
/* Get the pid that a process has in its own pid namespace. */
int process_inner_pid(struct arena *arena, int proc, pid_t pid, pid_t *ret);
