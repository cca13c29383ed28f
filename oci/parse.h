/* SPDX-License-Identifier: Apache-2.0 */
/* oci/parse.h - the readers of config.json's parts, private to this room. */
#pragma once

#include <stdbool.h>

#include "oci/json.h"

struct oci_linux;

#define OCI_MAX_NODES 1024

JSON_READER(oci_read_process);	     /* struct oci_process */
JSON_READER(oci_read_env);	     /* struct strings */
JSON_READER(oci_read_mount);	     /* struct oci_mount */
JSON_READER(oci_read_hooks);	     /* struct oci_hooks */
JSON_READER(oci_read_id_maps);	     /* struct oci_id_maps */
JSON_READER(oci_read_linux);	     /* struct oci_linux */
JSON_READER(oci_read_sysctls);	     /* struct oci_linux */
JSON_READER(oci_read_devices);	     /* struct oci_linux */
JSON_READER(oci_read_net_devices);   /* struct oci_linux */
JSON_READER(oci_read_intel_rdt);     /* const struct oci_intel_rdt * */
JSON_READER(oci_read_memory_policy); /* const struct oci_memory_policy * */
JSON_READER(oci_read_resources);     /* struct oci_resources */
JSON_READER(oci_read_seccomp);	     /* const struct oci_seccomp * */
JSON_READER(oci_read_inside_path);   /* const char *, see oci_clean_path */

/* Settings that would reach the host are refused; linux_ is otherwise read. */
int oci_check_sysctls(const struct json_value *linux_value,
		      const struct oci_linux *linux_);
/* path below /, without empty, "." and ".." components; NULL: no memory. */
const char *oci_clean_path(struct arena *arena, const char *path);
/* Whether the kernel would take this as the name of a network interface. */
bool oci_is_interface_name(const char *name);
/* A checked list of numbers below max, NULL when empty, into ret. */
int oci_read_list(const struct json_value *v, size_t max, const char **ret);
struct oci_spec;
/* Apply the run.oci. annotations that crun knows to the spec. */
int oci_apply_annotations(struct arena *arena, struct oci_spec *spec);
