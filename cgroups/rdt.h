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
	const char *mount;   /* of resctrl; NULL when there is no group */
	const char *group;   /* where its processes belong */
	bool own_group;	     /* named after the container: removed with it */
	bool must_exist;     /* a closID without schemas */
	const char *monitor; /* its monitoring group, or NULL */
};

/* Where resctrl is mounted; an error naming the field when it is not. */
int rdt_mount(struct arena *arena, int proc, const char **ret);
/* Pure: the paths for a container. */
int rdt_place(struct arena *arena, const char *mount,
	      const struct oci_intel_rdt *asked, const char *id,
	      struct rdt *ret);
/* Both: the paths for a container on this host. */
int rdt_find(struct arena *arena, int proc, const struct oci_intel_rdt *asked,
	     const char *id, struct rdt *ret);
/* Make the groups and write the schemas; a group that exists must have them. */
int rdt_make(const struct rdt *rdt, const struct oci_intel_rdt *asked);
/* Change the schemas of a container's group, as `update` asks. */
int rdt_update(const struct rdt *rdt, const struct oci_intel_rdt *asked);
int rdt_join(const struct rdt *rdt, pid_t pid);
/* Remove what is the container's own; gone already is fine. */
int rdt_remove(const struct rdt *rdt);
/* What the group has and has used, as an object of a document under way. */
void rdt_put_stats(struct arena *arena, const struct rdt *rdt, struct writer *w,
		   const char *key);
