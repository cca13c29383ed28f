/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/gpus.h - remove GPUs from a bundle. A policy can only remove
 * them: without limits.gpu_devices all of them, with an empty list none.
 */
#pragma once

#include "policy/policy.h"

struct arena;

/*
 * Remove nodes, bind mounts and device rules of the GPUs that are not allowed.
 */
int gpus_take_away(struct arena *arena, const struct policy *policy,
		   struct oci_spec *spec);
/* Set CUDA_VISIBLE_DEVICES and others: the remaining GPUs, counted from 0. */
int gpus_env(struct arena *arena, const struct policy *policy,
	     struct strings *ret);
