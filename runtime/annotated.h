/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/annotated.h - annotations that a pod's author may not set. */
#pragma once

struct globals;
struct oci_spec;

/*
 * Refuse annotations that touch the host in a container that Kubernetes wants:
 * its engines pass on what the author of a pod wrote.
 */
int annotated_check(const struct globals *globals, const struct oci_spec *spec);
