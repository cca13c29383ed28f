/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/placeholder_registry.h - who needs which placeholder.
 *
 * REGISTRY/ID/ has a file for each container that needs the placeholder, named
 * after the ID of that one's state directory.
 */
#pragma once

#include <stdbool.h>

#define PLACEHOLDER_ID 96

struct statx;

/* What is behind a descriptor; -1 and errno. */
int placeholder_look(int fd, struct statx *ret);
/* Device, inode and birth: another file with the same number is another. */
void placeholder_id(const struct statx *st, char ret[static PLACEHOLDER_ID]);
/* Device and inode of the directory it is in: overlays let it be born again. */
void placeholder_place(const struct statx *st, char ret[static PLACEHOLDER_ID]);

/* Made if need be, and locked; an error unless it is the caller's alone. */
int placeholder_registry_open(void);
bool placeholder_registry_has(int registry, const char *id);
/* The container with this state directory needs it; fresh: nobody else does. */
int placeholder_registry_take(int registry, const char *id, int state,
			      bool fresh);
/* Not any more; true: nor does anybody else, until it is forgotten. */
bool placeholder_registry_drop(int registry, const char *id, int state);
void placeholder_registry_forget(int registry, const char *id);
