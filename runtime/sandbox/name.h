/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/name.h - a sandbox may have almost any name; its directory
 * has the ID that goes with it.
 */
#pragma once

struct arena;

/* What container_check_id accepts; no two names have the same. */
int sandbox_name_to_id(struct arena *arena, const char *name, const char **ret);
/* The name behind an ID; an error when no name has that ID. */
int sandbox_name_from_id(struct arena *arena, const char *id, const char **ret);
