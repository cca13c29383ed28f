/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/gpus.h - the host's GPU nodes, for a sandbox that may use some. */
#pragma once

struct arena;
struct oci_spec;

/* All that the host has: enforce/gpus.h takes away what the policy denies. */
int gpus_of_host(struct arena *arena, struct oci_spec *spec);
