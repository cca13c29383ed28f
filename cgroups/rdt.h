/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/rdt.h - linux.intelRdt: a container's group in the mounted resctrl
 * file system.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;
struct writer;

struct rdt {
	const char *mount;   /* of resctrl; NULL if there is no group */
	const char *group;   /* for the processes of the container */
	bool own_group;	     /* named after the container and removed with it */
	bool must_exist;     /* a closID without schemas */
	const char *monitor; /* its monitoring group, or NULL */
};

/* Find the mount of resctrl; the error names the field. */
int rdt_mount(struct arena *arena, int proc, const char **ret);
/* Make the paths for a container; no effects. */
int rdt_place(struct arena *arena, const char *mount,
	      const struct oci_intel_rdt *asked, const char *id,
	      struct rdt *ret);
/* Find the mount and make the paths for a container. */
int rdt_find(struct arena *arena, int proc, const struct oci_intel_rdt *asked,
	     const char *id, struct rdt *ret);
/* Make the groups and write the schemas; an existing group must have them. */
int rdt_make(const struct rdt *rdt, const struct oci_intel_rdt *asked);
/* Change the schemas of a container's group, for `update`. */
int rdt_update(const struct rdt *rdt, const struct oci_intel_rdt *asked);
int rdt_join(const struct rdt *rdt, pid_t pid);
/* Remove the container's own groups; they need not exist. */
int rdt_remove(const struct rdt *rdt);
/* Write limits and counters of the group as an object of a JSON document. */
void rdt_put_stats(struct arena *arena, const struct rdt *rdt, struct writer *w,
		   const char *key);
