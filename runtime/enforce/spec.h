/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/spec.h - what a policy changes in a config.json. */
#pragma once

#include "runtime/enforce/enforce.h"

/* Pure. Limits meet those of the bundle at the smaller value. */
int policed_spec(struct arena *arena, struct policed *policed,
		 struct oci_spec *spec);
/* policed_limits.c: that limits.cpu_cores are cores of this host. */
int policed_check_cores(const struct policy_numbers *cores);
/* policed_mounts.c: read-only what may not be written; policed->writable. */
int policed_mounts(struct arena *arena, struct policed *policed,
		   struct oci_spec *spec);
/* policed_host.c: what filesystem.mount brings. */
int policed_host_mounts(struct arena *arena, const struct policed *policed,
			struct oci_spec *spec);
/*
 * policed_ids.c: allow the group suid in a bundle that cannot write files of
 * the host. The policy records this, so that exec decides the same.
 */
int policed_ids(struct arena *arena, struct policed *policed,
		const struct oci_spec *spec);
bool policed_holds_ids(const struct policed *policed);
/* Whether a mount, or one that rbind brings along, is writable. */
int policed_may_write(struct arena *arena, const struct oci_mount *mount,
		      const char *source, bool *ret);
/*
 * policed_net.c: namespaces of its own hold signals, abstract sockets and
 * interfaces; in those of others Landlock does, and a capability less.
 */
void policed_scope(struct policed *policed, const struct oci_spec *spec);
/* The same: TCP ports, and a namespace with nothing but lo. */
int policed_net(struct arena *arena, struct policed *policed,
		struct oci_spec *spec);
