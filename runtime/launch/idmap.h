/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/idmap.h - the user and group id maps of a new user namespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;

/* The kernel takes a map in one write of less than a page. */
#define IDMAP_TEXT 4096

/*
 * Write both maps of a process in a new user namespace: directly when we may
 * (privileged, or nothing but our own id), else by newuidmap and newgidmap.
 */
int idmap_write(int proc, pid_t pid, const struct oci_id_maps *uids,
		const struct oci_id_maps *gids, bool privileged);
/*
 * Fill each of the two that is empty: for root every id of our own namespace
 * as itself, for others root inside is the caller.
 */
int idmap_default(struct arena *arena, int proc, uid_t euid, gid_t egid,
		  struct oci_id_maps *uids, struct oci_id_maps *gids);

/* "<inside> <outside> <size>\n" for each; IDMAP_TEXT bytes. */
int idmap_format(const struct oci_id_maps *maps, char ret_text[IDMAP_TEXT]);
/* Every id of a map, as in /proc/self/uid_map, mapped to itself. */
int idmap_identity(struct arena *arena, const char *text,
		   struct oci_id_maps *ret);

/*
 * Mappings given beside a user namespace that is joined: the same, or an
 * error. Each of the two that is empty is filled with the namespace's.
 */
int idmap_of_joined(struct arena *arena, int proc, int userns,
		    struct oci_id_maps *uids, struct oci_id_maps *gids);
