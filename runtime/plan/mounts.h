/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/mounts.h - declarations for the files that plan mounts, and the
 * step flags they share with the child.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/util.h"
#include "runtime/plan/make.h"

/* STEP_MOVE_MOUNT */
#define MOVE_PROC 1	     /* only a procfs; checked again at text */
#define MOVE_LATE_READONLY 2 /* make_root makes it read-only */
#define MOVE_NEW_DEV 4	     /* a new tmpfs on /dev, in a slot of its own */

/* STEP_MKNOD */
#define NODE_KEEP 1 /* accept any existing file of that name */

/*
 * The only files below /proc that a mount may cover; they restate facts about
 * the host.
 */
static inline bool mounts_may_cover(const char *destination)
{
	static const char *const places[] = {
		"/proc/cpuinfo",
		"/proc/diskstats",
		"/proc/meminfo",
		"/proc/stat",
		"/proc/swaps",
		"/proc/uptime",
		"/proc/loadavg",
		"/proc/slabinfo",
		"/proc/sys/kernel/ns_last_pid",
		"/proc/sys/crypto/fips_enabled",
	};

	for (size_t i = 0; i < COUNT(places); i++)
		if (streq(destination, places[i]))
			return true;
	return false;
}

/* An entry of mounts[] that is being planned. */
struct mount_job {
	const struct make_input *in;
	struct plan *plan;
	const struct oci_mount *mount;
	struct mount_options options;
	const char *place; /* "mounts[3]" */
};

/* mount_steps.c: the steps that every kind of mount needs. */
/*
 * Return a path without empty and "." components; ".." stays, as only the
 * kernel can resolve it. NULL if out of memory.
 */
char *mounts_tidy(struct arena *arena, const char *path);
/* Get the first host id for `size` ids of the container; false: not mapped. */
bool mounts_host_id(const struct oci_id_maps *maps, uint32_t id, uint32_t size,
		    uint32_t *ret);
struct step *mounts_add(const struct mount_job *job, enum step_op op);
/*
 * If the step fails with EPERM, EACCES or EBUSY, continue with the next one
 * added.
 */
void mounts_on_denied_here(struct plan *plan, uint32_t step);
/* After the step, continue with the next one added. */
void mounts_next_here(struct plan *plan, uint32_t step);
/* Add a step that opens the mount point into SLOT_POINT. */
struct step *mounts_add_point(const struct mount_job *job,
			      const char *destination, unsigned int flags,
			      uint16_t source);
/* NULL if out of memory; then plan->failed is set. */
struct step_fs *mounts_add_fsmount(const struct mount_job *job,
				   const char *type, uint16_t out);
struct step_fs *mounts_add_reconfigure(const struct mount_job *job,
				       uint16_t tree);
int mounts_add_param(struct plan *plan, struct step_fs *fs, const char *key,
		     const char *value);
/* Set only the attributes that the options name. */
void mounts_add_attrs(const struct mount_job *job, uint16_t tree);
/* Apply the recursive attributes and the propagation. */
void mounts_add_changes(const struct mount_job *job, uint16_t tree);
struct step *mounts_add_move(const struct mount_job *job, uint16_t tree,
			     const char *destination);
struct step *mounts_add_clone(const struct mount_job *job, const char *path,
			      unsigned int flags, uint16_t out);
/* True if read-only comes last, because the mount is still to be filled. */
bool mounts_is_late_readonly(const struct mount_job *job);
/* True for a new tmpfs on /dev, in which other mounts usually follow. */
bool mounts_is_new_dev(const struct mount_job *job);
/*
 * Return the slot of that tmpfs if the destination is directly in it and no
 * mount since then can have redirected its path; else SLOT_NONE.
 */
uint16_t mounts_fresh_dev(const struct plan *plan, const char *destination);
/*
 * Return POINT_NEW_ROOT if only the runtime can have made what is at the
 * destination: the root is new, and no earlier mount is in the path; else 0.
 */
unsigned int mounts_new_root(const struct mount_job *job);
void mounts_drop_readonly(struct mount_options *options);
/* True if linux.rootfsPropagation must not override that of the mounts. */
bool mounts_keep_propagation(const struct make_input *in);
/* SLOT_TREE, or another slot if make_root needs the mount again. */
uint16_t mounts_tree_slot(const struct mount_job *job);

/* mount_bind.c, mount_cgroup.c, devices.c */
int make_bind_mount(const struct mount_job *job);
int make_cgroup_mount(const struct mount_job *job);
int make_devices(const struct make_input *in, struct plan *plan);
/* The devices that every container has; returns how many. */
size_t devices_default(const struct oci_device **ret);
