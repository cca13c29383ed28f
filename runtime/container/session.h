/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/session.h - options and facts that all commands share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cgroups/cgroup.h"
#include "oci/oci.h"

struct arena;
struct host;

/* Options of the program itself, before the command. */
struct session {
	struct arena *arena;
	struct host *host;	/* facts known so far */
	const char *root;	/* state directory; never NULL */
	bool root_given;	/* by --root */
	unsigned int given_fds; /* 3 to 2+this are the caller's */
	char *command_line;	/* argv as the kernel shows it */
	size_t command_line_size;
	enum cgroup_manager cgroup_manager;
	int rootless; /* -1 auto, 0 false, 1 true */
	const char *criu;
	const char *profile; /* for bundles that name none; or NULL */
	struct strings allow_annotations; /* keys that affect the host */
	struct strings enforced; /* profiles that each policy must obey */
};
