/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/systemd.h - a container as a unit of systemd: its name, where its
 * cgroup lies, and its limits as properties. Pure; who talks to systemd is
 * another program.
 */
#pragma once

#include <stdbool.h>

#include "cgroups/cgroup.h"
#include "oci/oci.h"

struct arena;

struct systemd_unit {
	const char *name;  /* "sandlock-web1.scope", or a slice */
	const char *slice; /* "machine.slice"; NULL for a slice */
	const char *path;  /* below the manager's own cgroup */
};

/* From cgroupsPath "slice:prefix:name"; NULL or empty: ":sandlock:ID". */
int systemd_unit_of(struct arena *arena, const char *cgroups_path,
		    const char *id, bool user, struct systemd_unit *ret);

/*
 * Properties are texts "NAME=SIGNATURE=VALUE": numbers in decimal, arrays a
 * line for each member, arrays of bytes in hexadecimal.
 *
 * What resources ask for, device rules excepted, as far as systemd has a word
 * for it.
 */
int systemd_limits(struct arena *arena, const struct oci_resources *resources,
		   bool v2, struct strings *ret);
/* What an update is to tell systemd; arguments as of cgroup_update. */
int systemd_changes(struct arena *arena, const struct oci_resources *change,
		    const struct oci_resources *merged, bool v2,
		    struct strings *ret);
/* What it is to write to the kernel's files when systemd has been told. */
struct oci_resources systemd_rewrites(const struct oci_resources *change,
				      const struct oci_resources *merged);
/* What to tell it when an update is taken back: what was set, or the default. */
int systemd_limits_back(struct arena *arena, const struct strings *set,
			const struct strings *old, struct strings *ret);
/* DevicePolicy and DeviceAllow: at least what our own rules allow. */
int systemd_devices(struct arena *arena, const struct oci_resources *resources,
		    struct strings *ret);
/*
 * Everything a new unit is made with, but its process and description. user:
 * of a user's manager, which cannot hold device rules.
 */
int systemd_properties(struct arena *arena, const struct systemd_unit *unit,
		       const struct oci_spec *spec, bool v2, bool user,
		       struct strings *ret);

/* For the files of this room and their tests. */

/* One more "NAME=SIGNATURE=VALUE". */
int systemd_add(struct arena *arena, struct strings *list, const char *name,
		const char *signature, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* org.systemd.property.NAME: the value a GVariant text of a simple type. */
int systemd_annotations(struct arena *arena,
			const struct oci_annotations *annotations,
			struct strings *ret);
