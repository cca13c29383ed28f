/* SPDX-License-Identifier: Apache-2.0 */
/* cow/copy.h - copy a file with its holes and attributes. */
#pragma once

#include "cow/changes.h"

/* Make the content of one open file that of another; keep holes. */
int copy_content(int from, int to);
/* Give an entry mode, owner, attributes and mtime. */
int copy_attributes(struct arena *arena, int dir, const char *name,
		    const struct tree_entry *entry,
		    const struct xattrs *xattrs);
/*
 * Make a copy of an entry that is no directory, with attributes; leave the
 * overlay's marks out.
 */
int copy_entry(struct arena *arena, const char *prefix, int from_dir,
	       const char *from, int to_dir, const char *to);
