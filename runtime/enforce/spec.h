/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/spec.h - apply a policy to a config.json; private to
 * runtime/enforce/, while the enforcement is made.
 */
#pragma once

#include "runtime/enforce/enforce.h"

struct stat;

/*
 * The only function that changes spec: it restricts the given one to what the
 * policy allows. Of two limits the smaller one applies.
 */
int enforce_spec(struct arena *arena, const struct enforce_input *input,
		 struct enforcement *enforcement, struct oci_spec *spec);
/* Fail unless limits.cpu_cores are cores of this host. */
int enforce_check_cores(const struct policy_numbers *cores);
/*
 * gpus.c: remove nodes, bind mounts and device rules of the GPUs that are not
 * allowed. A policy can only remove them.
 */
int gpus_take_away(struct arena *arena, const struct policy *policy,
		   struct oci_spec *spec);
/* Set CUDA_VISIBLE_DEVICES and others: the remaining GPUs, counted from 0. */
int gpus_env(struct arena *arena, const struct policy *policy,
	     struct strings *ret);
/*
 * mounts.c: make paths read-only that may not be written; fill in
 * enforcement->writable.
 */
int enforce_mounts(struct arena *arena, const char *rootfs,
		   struct enforcement *enforcement, struct oci_spec *spec);
/*
 * mounts.c: point TMPDIR to a tmpfs of the policy if the bundle's own directory
 * for temporary files is not allowed.
 */
int enforce_tmpdir(struct arena *arena, const struct policy *policy,
		   const struct strings *env, struct strings *last_env);
/* mounts.c: add the mounts of filesystem.mount. */
int enforce_host_mounts(struct arena *arena,
			const struct enforcement *enforcement,
			struct oci_spec *spec);
/*
 * mounts.c: fail if `host`, of status st, can never be mounted where
 * filesystem.mount puts it.
 */
int enforce_check_mount(const struct policy_mount *mount, const char *host,
			const struct stat *st);
/*
 * host_ids.c: allow the group suid in a bundle that cannot write files of the
 * host.
 */
int enforce_ids(struct arena *arena, struct enforcement *enforcement,
		const struct oci_spec *spec);
bool enforce_shares_ids(const struct policy *policy);
/* True if a mount, or one that rbind includes, is writable. */
int enforce_may_write(struct arena *arena, const struct oci_mount *mount,
		      const char *source, bool *ret);
/*
 * network.c: the container's own namespaces restrict signals, abstract sockets
 * and interfaces; in shared ones Landlock does. Returns true if mode 'deny'
 * applies in a shared network.
 */
bool enforce_scope(struct enforcement *enforcement,
		   const struct oci_spec *spec);
/* network.c: restrict TCP ports, or use a namespace with only lo. */
int enforce_net(struct arena *arena, struct enforcement *enforcement,
		struct oci_spec *spec);
