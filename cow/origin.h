/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/origin.h - the overlay's mark "origin": a file handle of the lower file
 * that it has copied. The kernel's layout is struct ovl_fb of fs/overlayfs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORIGIN_SIZE 128

struct origin {
	int type;
	size_t len; /* 0: copied, but the kernel does not say from where */
	unsigned char handle[ORIGIN_SIZE];
};

/* False if there is no such mark. */
bool origin_read(int dir, const char *name, const char *prefix,
		 struct origin *ret);
/* True if the file is the one that was copied, or if that is unknown. */
bool origin_is(const struct origin *origin, int dir, const char *name);
/* True if no name leads to the file any more. */
bool origin_is_gone(const struct origin *origin, int lower);
/* Return the number of the inode, 0 if it is gone or unknown. */
uint64_t origin_inode(const struct origin *origin, int lower);
