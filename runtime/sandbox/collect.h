/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/collect.h - end and remove sandboxes whose `sandlock` was killed:
 * no other process does.
 */
#pragma once

struct session;

/* Remove all of them; warn of each that cannot be removed. */
void collect_all(const struct session *session);
/*
 * Remove some of them after a start; a limit keeps this short however many
 * exist. root is open, and own is our sandbox's directory in it.
 */
void collect_some(const struct session *session, int root, const char *own);
