/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/gpus.h - which GPUs exist in a bundle. A policy can only take away:
 * no limits.gpu_devices takes all, an empty list none.
 */
#pragma once

#include "policy/policy.h"

struct arena;

/* Nodes, bind mounts and device rules of those that are not to be there. */
int gpus_take_away(struct arena *arena, const struct policy *policy,
		   struct oci_spec *spec);
/* CUDA_VISIBLE_DEVICES and the like: those that are left, counted from 0. */
int gpus_env(struct arena *arena, const struct policy *policy,
	     struct strings *ret);
