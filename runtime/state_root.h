/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/state_root.h - where state is when no directory is named.
 *
 * Below /run for root; for others below $XDG_RUNTIME_DIR, else below
 * /run/user/UID, else below /tmp/sandlock-UID.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* In errors: what to do about it. */
#define STATE_ELSEWHERE \
	"(state goes to --root DIR, or to XDG_RUNTIME_DIR of a user)"

enum state_kind {
	STATE_SANDBOXES,	/* of sandlock */
	STATE_CONTAINERS,	/* of sandlock-oci: an engine's, not ours to list */
	STATE_PLACEHOLDERS,	/* of both: who needs which */
};

/*
 * The absolute path of a directory that need not be there yet. An error where
 * somebody else could put it there.
 */
int state_root(enum state_kind kind, char ret[static PATH_MAX]);
/*
 * The i-th place where commands of the same user look that have no
 * XDG_RUNTIME_DIR, or for which /run/user/UID is not there; false: no more.
 */
bool state_elsewhere(size_t i, char ret[static PATH_MAX]);
