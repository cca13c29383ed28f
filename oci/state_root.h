/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/state_root.h - the state directory if --root is not given.
 *
 * It is below /run for root. For other users it is below $XDG_RUNTIME_DIR,
 * else below /run/user/UID, else below /tmp/sandlock-UID.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Advice for error messages. */
#define STATE_ELSEWHERE \
	"(set another state directory with --root DIR; for a user, XDG_RUNTIME_DIR)"

enum state_kind {
	STATE_SANDBOXES,    /* of sandlock */
	STATE_CONTAINERS,   /* of sandlock-oci, not of sandlock */
	STATE_PLACEHOLDERS, /* the registry of placeholders, of both */
};

/*
 * Return the absolute path of a directory that need not exist yet. Fail if
 * another user could make it.
 */
int state_root(enum state_kind kind, char ret[static PATH_MAX]);
/*
 * The i-th place where other commands of this user keep state, if they run
 * without XDG_RUNTIME_DIR or without /run/user/UID; false: no more.
 */
bool state_elsewhere(size_t i, char ret[static PATH_MAX]);
