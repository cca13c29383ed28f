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
 * Return the absolute path of a directory that need not exist yet; make nothing.
 * Fail if another user has made the directory above it.
 */
int state_root(enum state_kind kind, char ret[static PATH_MAX]);
/* Before state is written at path: make /tmp/sandlock-UID if path is below it. */
int state_root_make_base(const char *path);
/*
 * Open a state directory; -ENOENT if it is missing. Fail if it is below a
 * /tmp/sandlock-UID of another user.
 */
int state_root_open(const char *path);
/*
 * The i-th place where other commands of this user keep state, if they run
 * without XDG_RUNTIME_DIR or without /run/user/UID; false: no more.
 */
bool state_elsewhere(size_t i, char ret[static PATH_MAX]);
