/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/stops.h - what the parent does for the child at its stops. */
#pragma once

#include <sys/types.h>

struct arena;
struct launch;

/* At MOUNTED: interfaces, then prestart, createRuntime and createContainer hooks. */
int stops_answer_mounted(struct launch *launch);
/* process.oomScoreAdj from outside: lowering it needs the host's right. */
int process_oom_score(const struct launch *launch);
/* process.rlimits from outside, where the child is in a user namespace. */
int process_rlimits(const struct launch *launch);
/* The pid of a process as those in its own pid namespace see it. */
int process_inner_pid(struct arena *arena, int proc, pid_t pid, pid_t *ret);
