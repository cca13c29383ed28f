/* SPDX-License-Identifier: Apache-2.0 */
/* policy/gpus.c - name the nodes of NVIDIA, DRI and ROCm devices. */
#include "policy/gpus.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

const char *const policy_gpu_nodes[] = {
	"/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/dri/*", "/dev/kfd", NULL,
};

/* The numbered nodes; others with these prefixes belong to all GPUs. */
static const struct {
	const char *prefix;
	unsigned int first;
} numbered[] = {
	{ "/dev/nvidia", 0 },
	{ "/dev/dri/card", 0 },
	{ "/dev/dri/renderD", 128 },
};

static const char *const common[] = {
	"/dev/nvidia",
	"/dev/dri",
	"/dev/kfd",
};

int policy_gpu_of(const char *path)
{
	uint32_t number;

	for (size_t i = 0; i < COUNT(numbered); i++) {
		const char *digits;

		if (!starts_with(path, numbered[i].prefix))
			continue;
		digits = path + strlen(numbered[i].prefix);
		if (!*digits || digits[strspn(digits, "0123456789")])
			continue;
		number = (uint32_t)strtoul(digits, NULL, 10);
		return number < numbered[i].first ?
			       GPU_COMMON :
			       (int)(number - numbered[i].first);
	}
	for (size_t i = 0; i < COUNT(common); i++)
		if (starts_with(path, common[i]))
			return GPU_COMMON;
	return GPU_NONE;
}

bool policy_has_gpu(const struct policy *policy, int gpu)
{
	if (!policy->set[KEY_GPU_DEVICES])
		return false;
	if (gpu == GPU_COMMON || policy->gpu_devices.n == 0)
		return true;
	for (size_t i = 0; i < policy->gpu_devices.n; i++)
		if (policy->gpu_devices.items[i] == (uint32_t)gpu)
			return true;
	return false;
}
