/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/collect.h - remove sandboxes whose `sandlock` was killed, as
 * no other process does.
 */
#pragma once

struct session;

/* Remove all of them; warn about each that cannot be removed. */
void collect_all(const struct session *session);
/*
 * Remove some of them after a start; a limit keeps this short however many
 * exist. root is open, and own is our sandbox's directory in it.
 */
void collect_some(const struct session *session, int root, const char *own);
