/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/host_annotations.h - annotations that a pod's author may not set. */
#pragma once

struct oci_strings;
struct oci_spec;

/*
 * Refuse annotations that touch the host in a container of a Kubernetes pod:
 * engines pass on whatever the pod's author wrote.
 */
int host_annotations_check(const struct oci_strings *allowed,
			   const struct oci_spec *spec);
