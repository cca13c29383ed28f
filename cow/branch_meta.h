/* SPDX-License-Identifier: Apache-2.0 */
/* cow/branch_meta.h - the file `meta` of a branch, and its clock. */
#pragma once

#include <stdint.h>

struct arena;
struct branch;

#define BRANCH_META "meta"

/* Write the values of a branch to its file; the seal brings it to disk. */
int branch_meta_write(struct arena *arena, const struct branch *branch);
/* Read them; fail if one is missing or not understood. */
int branch_meta_read(struct arena *arena, struct branch *branch);
/* Take the conflict clock by a file in the branch's directory. */
int branch_clock_take(struct branch *branch);
/* CLOCK_REALTIME - CLOCK_BOOTTIME. */
int64_t branch_clock_now(void);
/* Read the id of this boot. */
int branch_boot_id(struct arena *arena, const char **ret);
