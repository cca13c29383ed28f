/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/spec.h - what a policy changes in a config.json. Private to
 * this room: the enforcement is being made.
 */
#pragma once

#include "runtime/enforce/enforce.h"

/*
 * The one step that edits spec: the given one becomes what the policy leaves of
 * it. Limits meet those of the bundle at the smaller value.
 */
int enforce_spec(struct arena *arena, const struct enforce_input *input,
		 struct enforcement *enforcement, struct oci_spec *spec);
/* That limits.cpu_cores are cores of this host. */
int enforce_check_cores(const struct policy_numbers *cores);
/* mounts.c: read-only what may not be written; enforcement->writable. */
int enforce_mounts(struct arena *arena, struct enforcement *enforcement,
		   struct oci_spec *spec);
/* The same: what filesystem.mount brings. */
int enforce_host_mounts(struct arena *arena,
			const struct enforcement *enforcement,
			struct oci_spec *spec);
/*
 * host_ids.c: allow the group suid in a bundle that cannot write files of the
 * host.
 */
int enforce_ids(struct arena *arena, struct enforcement *enforcement,
		const struct oci_spec *spec);
bool enforce_shares_ids(const struct policy *policy);
/* Whether a mount, or one that rbind brings along, is writable. */
int enforce_may_write(struct arena *arena, const struct oci_mount *mount,
		      const char *source, bool *ret);
/*
 * network.c: namespaces of its own hold signals, abstract sockets and
 * interfaces; in those of others Landlock does. Returns whether mode 'deny' is
 * in a network of others.
 */
bool enforce_scope(struct enforcement *enforcement,
		   const struct oci_spec *spec);
/* The same: TCP ports, and a namespace with nothing but lo. */
int enforce_net(struct arena *arena, struct enforcement *enforcement,
		struct oci_spec *spec);
