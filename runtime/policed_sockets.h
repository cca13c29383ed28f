/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/policed_sockets.h - Unix sockets of others, in mounts of the host. */
#pragma once

struct masks;
struct mount_table;
struct policed_files;

/* Cover all that network.unix does not list. */
int policed_sockets(const struct policed_files *files, struct masks *masks,
		    const struct mount_table *table);
