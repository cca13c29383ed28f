/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/systemd.h - manage the units of containers by
 * sandlock-systemd, the program that talks to systemd.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;
struct systemd_unit;

/* Get the cgroup of the manager itself, "" for the root; no effects. */
int systemd_root(struct arena *arena, bool user, const char **ret);
/* Make the unit, with pid in it; fail unless its cgroup is `cgroup`. */
int systemd_start(struct arena *arena, const struct systemd_unit *unit,
		  bool user, pid_t pid, const struct strings *properties,
		  const char *cgroup);
/* Change properties of the unit that a record names. */
int systemd_set(struct arena *arena, const struct oci_record *record,
		const struct strings *properties);
/* Move a process into its cgroup, or one below: "/", "/sub". */
int systemd_attach(struct arena *arena, const struct oci_record *record,
		   const char *sub, pid_t pid);
/* Stop the unit, if it exists and is the container's. */
int systemd_stop(struct arena *arena, const struct oci_record *record);
/*
 * Return the description that distinguishes the container's unit from another
 * one of the same name.
 */
const char *systemd_description(struct arena *arena,
				const struct oci_record *record);
