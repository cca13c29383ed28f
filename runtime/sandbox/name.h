/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/name.h - convert the name of a sandbox, which may be almost
 * any text, to the ID of its directory.
 */
#pragma once

struct arena;

/*
 * Get an ID that container_check_id accepts; different names have different
 * IDs.
 */
int sandbox_name_to_id(struct arena *arena, const char *name, const char **ret);
/* Get the name of an ID; fail if no name has that ID. */
int sandbox_name_from_id(struct arena *arena, const char *id, const char **ret);
