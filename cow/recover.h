/* SPDX-License-Identifier: Apache-2.0 */
/* cow/recover.h - finish commits that were interrupted, and say so. */
#pragma once

struct arena;
struct branch;

/* Finish that of a branch that is locked by us. 1: the branch is gone now. */
int recover_branch(struct arena *arena, struct branch *branch);
/* Lock a branch and finish its commit; -EBUSY if another process uses it. */
int recover_name(struct arena *arena, const char *name);
/*
 * Finish all that can be finished, and warn of the others: their workdirs are
 * half changed.
 */
int recover_all(struct arena *arena);
