/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/systemd.h - a container as a unit of systemd: its name, its cgroup,
 * and its limits as properties. These functions have no effects; the program
 * sandlock-systemd talks to systemd.
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

/* Parse cgroupsPath "slice:prefix:name"; NULL or empty: ":sandlock:ID". */
int systemd_unit_of(struct arena *arena, const char *cgroups_path,
		    const char *id, bool user, struct systemd_unit *ret);

/*
 * Properties are texts "NAME=SIGNATURE=VALUE": numbers in decimal, arrays with
 * a line for each member, arrays of bytes in hexadecimal.
 *
 * List the properties for resources, except device rules, as far as systemd has
 * them.
 */
int systemd_limits(struct arena *arena, const struct oci_resources *resources,
		   bool v2, struct strings *ret);
/* List the properties that an update sets; for arguments see cgroup_update. */
int systemd_changes(struct arena *arena, const struct oci_resources *change,
		    const struct oci_resources *merged, bool v2,
		    struct strings *ret);
/* Return the values to write to cgroup files after systemd has set its own. */
struct oci_resources systemd_rewrites(const struct oci_resources *change,
				      const struct oci_resources *merged);
/* List the properties that undo an update: the old values, or the defaults. */
int systemd_limits_back(struct arena *arena, const struct strings *set,
			const struct strings *old, struct strings *ret);
/* List DevicePolicy and DeviceAllow: at least what our own rules allow. */
int systemd_devices(struct arena *arena, const struct oci_resources *resources,
		    struct strings *ret);
/*
 * List all properties of a new unit, except its process and description. user:
 * for a user's manager, which cannot enforce device rules.
 */
int systemd_properties(struct arena *arena, const struct systemd_unit *unit,
		       const struct oci_spec *spec, bool v2, bool user,
		       struct strings *ret);

/* For the files of cgroups/ and their tests. */

/* Add "NAME=SIGNATURE=VALUE" to a list. */
int systemd_add(struct arena *arena, struct strings *list, const char *name,
		const char *signature, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* org.systemd.property.NAME: the value is GVariant text of a simple type. */
int systemd_annotations(struct arena *arena,
			const struct oci_annotations *annotations,
			struct strings *ret);
