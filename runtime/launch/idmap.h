/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/idmap.h - the user and group id maps of a new user namespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;

/* The kernel accepts a map in one write of less than a page. */
#define IDMAP_TEXT 4096

/*
 * Write both maps of a process in a new user namespace: directly if the kernel
 * allows it (privileged, or only the caller's own id), else by newuidmap and
 * newgidmap.
 */
int idmap_write(int proc, pid_t pid, const struct oci_id_maps *uids,
		const struct oci_id_maps *gids, bool privileged);
/*
 * Fill each map that is empty: root maps every id of its own namespace to
 * itself, other users map root inside to themselves.
 */
int idmap_default(struct arena *arena, int proc, uid_t euid, gid_t egid,
		  struct oci_id_maps *uids, struct oci_id_maps *gids);

/* Write "<inside> <outside> <size>\n" for each mapping; IDMAP_TEXT bytes. */
int idmap_format(const struct oci_id_maps *maps, char ret_text[IDMAP_TEXT]);
/* Map every id of a map, in the format of /proc/self/uid_map, to itself. */
int idmap_identity(struct arena *arena, const char *text,
		   struct oci_id_maps *ret);

/*
 * Fail unless mappings given for a joined user namespace are the ones it has.
 * An empty map is filled with the namespace's.
 */
int idmap_of_joined(struct arena *arena, int proc, int userns,
		    struct oci_id_maps *uids, struct oci_id_maps *gids);
