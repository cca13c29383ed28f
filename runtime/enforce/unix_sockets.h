/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/unix_sockets.h - Unix sockets of others, in mounts of the host. */
#pragma once

/* Of a sandbox: is_of_system has the list. */
#define SOCKETS_UNSEARCHED                                 \
	"/usr, /bin, /sbin and /lib*, but for /usr/local " \
	"and what filesystem.mount shows"

struct files_list;
struct files_rules;
struct masks;
struct mount_table;
struct enforce_files;

/*
 * Cover all that network.unix does not list, in all mounts of table; given: as
 * it was before carve-outs.
 */
int enforce_sockets(const struct enforce_files *files, struct masks *masks,
		    const struct mount_table *given,
		    const struct mount_table *table);
/* Let those be connected to that it lists, and that may be the workload's. */
int enforce_sockets_allow(const struct enforce_files *files,
			  const struct files_list *denied,
			  struct files_rules *rules);
