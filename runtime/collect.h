/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/collect.h - sandboxes whose `sandlock` was killed: nobody else ends
 * them, and removes what is theirs.
 */
#pragma once

struct globals;

/* Clear all of them away; what cannot be removed is told, and stays. */
void collect_all(const struct globals *globals);
/*
 * Clear some of them away, after a start: it takes no longer however many
 * there are. root is open, and own is the directory of the sandbox in it.
 */
void collect_some(const struct globals *globals, int root, const char *own);
