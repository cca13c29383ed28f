/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/placeholder_registry.h - which containers need which placeholder.
 *
 * REGISTRY/ID/ has a file for each container that needs the placeholder ID. The
 * file is named after the ID of the container's state directory.
 */
#pragma once

#include <stdbool.h>

#define PLACEHOLDER_ID 96

struct statx;

/* Call statx(2) on a descriptor; -1 and errno on failure. */
int placeholder_look(int fd, struct statx *ret);
/* Device, inode and birth time, as inode numbers are used again. */
void placeholder_id(const struct statx *st, char ret[static PLACEHOLDER_ID]);
/*
 * Device and inode of the directory it is in. An overlay may change the birth
 * time of a directory, so that is left out.
 */
void placeholder_place(const struct statx *st, char ret[static PLACEHOLDER_ID]);

/* Make the registry if missing, and lock it; only the caller may access it. */
int placeholder_registry_open(void);
bool placeholder_registry_has(int registry, const char *id);
/* Record that a container needs it; fresh: drop earlier records of this ID. */
int placeholder_registry_take(int registry, const char *id, int state,
			      bool fresh);
/* Remove that record; true if no other container needs the placeholder. */
bool placeholder_registry_drop(int registry, const char *id, int state);
void placeholder_registry_forget(int registry, const char *id);
