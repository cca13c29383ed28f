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
#include "policy/gpus.h"

static const char *const variables[] = {
	"CUDA_VISIBLE_DEVICES",
	"NVIDIA_VISIBLE_DEVICES",
	"ROCR_VISIBLE_DEVICES",
};

/* True for limits.gpu_devices = []. */
static bool has_all(const struct policy *policy)
{
	return policy->set[KEY_GPU_DEVICES] && policy->gpu_devices.n == 0;
}

static bool is_kept(const struct policy *policy, const char *path)
{
	int gpu = policy_gpu_of(path);

	return gpu == GPU_NONE || policy_has_gpu(policy, gpu);
}

/* A directory of nodes is one mount, so it would show other GPUs, too. */
static bool is_directory(const char *path)
{
	return streq(path, "/dev/dri");
}

static bool is_kept_mount(const struct policy *policy,
			  const struct oci_mount *mount)
{
	const char *source = mount->source ? mount->source : "";

	return !is_directory(mount->destination) && !is_directory(source) &&
	       is_kept(policy, mount->destination) && is_kept(policy, source);
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
		if (is_kept(policy, linux_->devices[i].path))
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
		    !is_kept(policy, d->path))
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
	if (rule->major != GPU_NVIDIA_MAJOR && rule->major != GPU_DRI_MAJOR)
		return false;
	gpu = (int)(rule->major == GPU_DRI_MAJOR ? rule->minor % 64 :
						   rule->minor);
	return rule->minor < 0 || !policy_has_gpu(policy, gpu);
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

struct rules {
	struct oci_device_rule *items;
	size_t n;
};

/* Allow a node as before, if the bundle's rules allow it at all. */
static void allow_node(const struct oci_resources *old,
		       const struct oci_device *d, struct rules *ret)
{
	struct oci_device_rule rule = verdict(old, d);

	if (rule.r || rule.w || rule.m)
		ret->items[ret->n++] = rule;
}

/* The bundle may have bound these nodes instead of listing them as devices. */
static void allow_numbers(const struct policy *policy,
			  const struct oci_resources *old, struct rules *ret)
{
	static const struct oci_device common[] = {
		{ .major = GPU_NVIDIA_MAJOR, .minor = 254 },
		{ .major = GPU_NVIDIA_MAJOR, .minor = 255 },
	};

	for (size_t i = 0; i < policy->gpu_devices.n; i++) {
		uint32_t gpu = policy->gpu_devices.items[i];
		const struct oci_device nodes[] = {
			{ .major = GPU_NVIDIA_MAJOR, .minor = gpu },
			{ .major = GPU_DRI_MAJOR, .minor = gpu },
			{ .major = GPU_DRI_MAJOR, .minor = 128 + gpu },
		};

		for (size_t k = 0; k < COUNT(nodes); k++)
			allow_node(old, &nodes[k], ret);
	}
	for (size_t i = 0; policy->gpu_devices.n && i < COUNT(common); i++)
		allow_node(old, &common[i], ret);
}

/*
 * Remove rules for GPUs that are denied, and add exceptions to rules for all
 * devices; then allow the remaining GPUs explicitly, as they were before.
 */
static int filter_rules(struct arena *arena, const struct policy *policy,
			const struct oci_linux *all, struct oci_linux *linux_)
{
	static const int64_t majors[] = { GPU_NVIDIA_MAJOR, GPU_DRI_MAJOR };
	const struct oci_resources *old = &all->resources;
	struct rules rules = {
		.items = arena_array(arena,
				     old->ndevices + linux_->ndevices +
					     3 * policy->gpu_devices.n +
					     COUNT(majors) + 3,
				     sizeof *rules.items),
	};
	bool open = false;

	if (!rules.items)
		return -ENOMEM;
	for (size_t i = 0; i < old->ndevices; i++) {
		open = open || lets_in_any(&old->devices[i]);
		if (!allows_gpu(all, &old->devices[i], policy))
			rules.items[rules.n++] = old->devices[i];
	}
	for (size_t i = 0; open && i < COUNT(majors); i++)
		rules.items[rules.n++] =
			(struct oci_device_rule){ false, 'c',  majors[i], -1,
						  true,	 true, false };
	allow_numbers(policy, old, &rules);
	for (size_t i = 0; i < linux_->ndevices; i++)
		if (policy_gpu_of(linux_->devices[i].path) != GPU_NONE)
			allow_node(old, &linux_->devices[i], &rules);
	linux_->resources.devices = rules.items;
	linux_->resources.ndevices = rules.n;
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
