/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/gpus.h - list the host's GPU nodes for a sandbox. */
#pragma once

struct arena;
struct oci_spec;

/*
 * Add all nodes of the host; enforce/gpus.c removes those that the policy
 * denies.
 */
int gpus_of_host(struct arena *arena, struct oci_spec *spec);
