/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/no_namespaces.h - a sandbox where namespaces are not
 * available: only Landlock and the filter of system calls.
 *
 * Denied files are visible then, but not accessible.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct host;

/*
 * Landlock does not restrict changes of mode, owner, times and attributes of a
 * file, so these calls are denied, and so is the removal of message queues,
 * which have no path. The last one is NULL.
 */
extern const char *const no_namespaces_calls[];
int no_namespaces_denied_calls(struct arena *arena, struct strings *calls);
/* Kill processes that the program left behind, as there is no process 1. */
void no_namespaces_end_children(int proc);
