/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/check_cgroups.h - which limits this user can have. */
#pragma once

struct arena;
struct check;

/* Make a cgroup with each limit in turn, and remove it. */
int check_cgroups(struct arena *arena, struct check *ret);
