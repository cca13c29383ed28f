/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/check_cgroups.h - check which limits this user can set. */
#pragma once

#include "confine/host.h"

struct arena;
struct check;

/* "memory" */
const char *check_limit_name(enum host_limit limit);
int check_cgroups(struct arena *arena, struct check *ret);
