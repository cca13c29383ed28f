/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/gpus.c - remove the NVIDIA, DRI and ROCm devices that a
 * policy denies.
 */
#include "runtime/enforce/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/util.h"

#define NVIDIA_MAJOR 195
#define DRI_MAJOR 226
#define NO_GPU (-1)
#define ALL_GPUS (-2) /* a node that every GPU of its kind needs */

static const char *const variables[] = {
	"CUDA_VISIBLE_DEVICES",
	"NVIDIA_VISIBLE_DEVICES",
	"ROCR_VISIBLE_DEVICES",
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

/* Return the number of the GPU of a path, ALL_GPUS or NO_GPU. */
static int gpu_of(const char *path)
{
	uint32_t number;

	for (size_t i = 0; i < COUNT(numbered); i++) {
		const char *digits = path + strlen(numbered[i].prefix);

		if (!starts_with(path, numbered[i].prefix) ||
		    strspn(digits, "0123456789") != strlen(digits) || !*digits)
			continue;
		number = (uint32_t)strtoul(digits, NULL, 10);
		return number < numbered[i].first ?
			       ALL_GPUS :
			       (int)(number - numbered[i].first);
	}
	for (size_t i = 0; i < COUNT(common); i++)
		if (starts_with(path, common[i]))
			return ALL_GPUS;
	return NO_GPU;
}

/* True for limits.gpu_devices = []. */
static bool has_all(const struct policy *policy)
{
	return policy->set[KEY_GPU_DEVICES] && policy->gpu_devices.n == 0;
}

static bool is_kept(const struct policy *policy, int gpu)
{
	if (gpu == NO_GPU)
		return true;
	if (!policy->set[KEY_GPU_DEVICES])
		return false;
	if (gpu == ALL_GPUS)
		return true;
	for (size_t i = 0; i < policy->gpu_devices.n; i++)
		if (policy->gpu_devices.items[i] == (uint32_t)gpu)
			return true;
	return false;
}

/* A directory of nodes is one mount, so it would show other GPUs, too. */
static bool is_kept_mount(const struct policy *policy,
			  const struct oci_mount *mount)
{
	if (streq(mount->destination, "/dev/dri"))
		return false;
	return is_kept(policy, gpu_of(mount->destination)) &&
	       (!mount->source || is_kept(policy, gpu_of(mount->source)));
}

static int filter_mounts(struct arena *arena, const struct policy *policy,
			 struct oci_spec *spec)
{
	struct oci_mount *left =
		arena_array(arena, spec->nmounts + 1, sizeof *left);
	size_t n = 0;

	if (!left)
		return -ENOMEM;
	for (size_t i = 0; i < spec->nmounts; i++)
		if (is_kept_mount(policy, &spec->mounts[i]))
			left[n++] = spec->mounts[i];
	spec->mounts = left;
	spec->nmounts = n;
	return 0;
}

static int filter_nodes(struct arena *arena, const struct policy *policy,
			struct oci_linux *linux_)
{
	struct oci_device *left =
		arena_array(arena, linux_->ndevices + 1, sizeof *left);
	size_t n = 0;

	if (!left)
		return -ENOMEM;
	for (size_t i = 0; i < linux_->ndevices; i++)
		if (is_kept(policy, gpu_of(linux_->devices[i].path)))
			left[n++] = linux_->devices[i];
	linux_->devices = left;
	linux_->ndevices = n;
	return 0;
}

/* A node may have any name; identify a GPU by its device number. */
static bool is_gpu_number(const struct oci_linux *all, int64_t major,
			  int64_t minor, const struct policy *policy)
{
	for (size_t i = 0; i < all->ndevices; i++) {
		const struct oci_device *d = &all->devices[i];

		if (S_ISCHR(d->type) && d->major == major &&
		    (minor < 0 || d->minor == minor) &&
		    !is_kept(policy, gpu_of(d->path)))
			return true;
	}
	return false;
}

static bool allows_gpu(const struct oci_linux *all,
		       const struct oci_device_rule *rule,
		       const struct policy *policy)
{
	int gpu;

	if (!rule->allow || rule->type != 'c' || rule->major < 0)
		return false;
	if (is_gpu_number(all, rule->major, rule->minor, policy))
		return true;
	if (rule->major != NVIDIA_MAJOR && rule->major != DRI_MAJOR)
		return false;
	gpu = (int)(rule->major == DRI_MAJOR ? rule->minor % 64 : rule->minor);
	return rule->minor < 0 || !is_kept(policy, gpu);
}

static bool is_about(const struct oci_device_rule *rule,
		     const struct oci_device *d)
{
	return (rule->type == 'a' || rule->type == 'c') &&
	       (rule->major < 0 || rule->major == d->major) &&
	       (rule->minor < 0 || rule->minor == d->minor);
}

/* Return what the bundle's rules allow for a node, as a rule. */
static struct oci_device_rule verdict(const struct oci_resources *res,
				      const struct oci_device *d)
{
	struct oci_device_rule sum = { true,  'c',   d->major, d->minor,
				       false, false, false };

	for (size_t i = 0; i < res->ndevices; i++) {
		const struct oci_device_rule *rule = &res->devices[i];

		if (!is_about(rule, d))
			continue;
		sum.r = rule->r ? rule->allow : sum.r;
		sum.w = rule->w ? rule->allow : sum.w;
		sum.m = rule->m ? rule->allow : sum.m;
	}
	return sum;
}

static bool lets_in_any(const struct oci_device_rule *rule)
{
	return rule->allow && rule->type != 'b' && rule->major < 0 &&
	       (rule->r || rule->w);
}

/*
 * Remove rules for GPUs that are denied, and add exceptions to rules for all
 * devices; then allow the remaining GPUs explicitly, as they were before.
 */
static int filter_rules(struct arena *arena, const struct policy *policy,
			const struct oci_linux *all, struct oci_linux *linux_)
{
	static const int64_t majors[] = { NVIDIA_MAJOR, DRI_MAJOR };
	const struct oci_resources *old = &all->resources;
	struct oci_device_rule *rules =
		arena_array(arena,
			    old->ndevices + linux_->ndevices + COUNT(majors) +
				    1,
			    sizeof *rules);
	bool open = false;
	size_t n = 0;

	if (!rules)
		return -ENOMEM;
	for (size_t i = 0; i < old->ndevices; i++) {
		open = open || lets_in_any(&old->devices[i]);
		if (!allows_gpu(all, &old->devices[i], policy))
			rules[n++] = old->devices[i];
	}
	for (size_t i = 0; open && i < COUNT(majors); i++)
		rules[n++] = (struct oci_device_rule){ false, 'c',  majors[i],
						       -1,    true, true,
						       false };
	for (size_t i = 0; i < linux_->ndevices; i++) {
		rules[n] = verdict(old, &linux_->devices[i]);
		if (gpu_of(linux_->devices[i].path) != NO_GPU &&
		    (rules[n].r || rules[n].w || rules[n].m))
			n++;
	}
	linux_->resources.devices = rules;
	linux_->resources.ndevices = n;
	return 0;
}

int gpus_take_away(struct arena *arena, const struct policy *policy,
		   struct oci_spec *spec)
{
	const struct oci_linux all = spec->linux_;
	int r;

	if (has_all(policy))
		return 0;
	r = filter_mounts(arena, policy, spec);
	if (r < 0)
		return r;
	r = filter_nodes(arena, policy, &spec->linux_);
	if (r < 0)
		return r;
	return filter_rules(arena, policy, &all, &spec->linux_);
}

/* "0,1", or "" for none, as CUDA expects it. */
static const char *counted(struct arena *arena, size_t n)
{
	const char *text = "";

	for (size_t i = 0; text && i < n; i++)
		text = arena_printf(arena, "%s%s%zu", text, i ? "," : "", i);
	return text;
}

int gpus_env(struct arena *arena, const struct policy *policy,
	     struct strings *ret)
{
	const char **items =
		arena_array(arena, COUNT(variables) + 1, sizeof *items);
	const char *left = counted(arena, policy->gpu_devices.n);

	if (!items || !left)
		return -ENOMEM;
	*ret = (struct strings){ items, 0 };
	if (!policy->set[KEY_GPU_DEVICES] || has_all(policy))
		return 0;
	for (size_t i = 0; i < COUNT(variables); i++) {
		items[i] = arena_printf(arena, "%s=%s", variables[i], left);
		if (!items[i])
			return -ENOMEM;
	}
	ret->n = COUNT(variables);
	return 0;
}
