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
	unsigned int rec_set, rec_clr;	 /* recursive forms (r…) */
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
/* Parse a list of options; an error names "options[2]". */
int mount_options_parse(struct arena *arena, const struct strings *options,
			struct mount_options *ret);
/* List all known options, except those of file systems, for `features`. */
struct strings mount_options_known(void);
/* True if the option is known. */
bool mount_option_known(const char *word);
