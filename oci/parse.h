/* SPDX-License-Identifier: Apache-2.0 */
/* oci/parse.h - readers for the parts of config.json, private to oci/. */
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

/* Fail if a sysctl would change the host; linux_ is complete otherwise. */
int oci_check_sysctls(const struct json_value *linux_value,
		      const struct oci_linux *linux_);
/*
 * Return path below /, without empty, "." and ".." components; NULL if out of
 * memory.
 */
const char *oci_clean_path(struct arena *arena, const char *path);
/* True if the kernel would accept this name for a network interface. */
bool oci_is_interface_name(const char *name);
/* Read a list of numbers below max into ret, NULL if empty; check it. */
int oci_read_list(const struct json_value *v, size_t max, const char **ret);
struct oci_spec;
/* Apply the run.oci. annotations that crun knows to the spec. */
int oci_apply_annotations(struct arena *arena, struct oci_spec *spec);
