/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/no_namespaces.h - a sandbox where namespaces are not to be had: Landlock and
 * the filter of system calls alone.
 *
 * What may not be touched is forbidden then, not absent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct host;

/*
 * Landlock does not judge what is written about a file: mode, owner, times,
 * attributes. Nothing of it can be changed then, and no message queue removed,
 * for which there is no path. The last one is NULL.
 */
extern const char *const no_namespaces_calls[];
int no_namespaces_denied_calls(struct arena *arena, struct strings *calls);
/* End what the program has left behind; there is no process 1 to do it. */
void no_namespaces_end_children(int proc);
