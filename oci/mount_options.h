/* SPDX-License-Identifier: Apache-2.0 */
/* oci/mount_options.h - mounts[].options, parsed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "oci/oci.h"

struct arena;

/* One parsed option list. */
struct mount_options {
	bool bind, rbind, remount;
	unsigned int attr_set, attr_clr; /* MOUNT_ATTR_… named in the list */
	unsigned int rec_set, rec_clr;	 /* the r… forms */
	unsigned long propagation[8];	 /* MS_… (| MS_REC), in order */
	size_t npropagation;
	const struct oci_annotation
		*params; /* for the file system; value NULL: flag */
	size_t nparams;
	bool tmpcopyup, idmap, ridmap;
	bool copy_symlink, src_nofollow, dest_nofollow;
	const char *idmap_uids, *idmap_gids; /* idmap=uids=…;gids=… */
	bool readonly;
};
/* The failure names "options[2]". */
int mount_options_parse(struct arena *arena, const struct strings *options,
			struct mount_options *ret);
/* Every word it knows that is not a file system's own, for `features`. */
struct strings mount_options_known(void);
/* Whether it knows this word. */
bool mount_option_known(const char *word);
