/* SPDX-License-Identifier: Apache-2.0 */
/* policy/gpus.h - which device nodes belong to which GPU. */
#pragma once

#include <stdbool.h>

#include "policy/policy.h"

#define GPU_NVIDIA_MAJOR 195
#define GPU_DRI_MAJOR 226
#define GPU_NONE (-1)
#define GPU_COMMON (-2) /* a node that every GPU of its kind needs */

/* Patterns of all nodes of NVIDIA, DRI and ROCm devices, NULL at the end. */
extern const char *const policy_gpu_nodes[];

/* Return the number of the GPU that a node is for, GPU_COMMON or GPU_NONE. */
int policy_gpu_of(const char *path);

/* True unless limits.gpu_devices leaves this GPU out; without the key, none. */
bool policy_has_gpu(const struct policy *policy, int gpu);
