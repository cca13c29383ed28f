/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/xattrs.h - extended attributes of a file: those of its own, and those
 * with which the overlay marks files of the upper directory.
 *
 * The overlay's attributes have a prefix, "trusted.overlay." or
 * "user.overlay.". A program that sets an attribute with this prefix gets one
 * with "overlay." after it, so only the kernel makes marks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;

struct xattr {
	const char *name;
	const char *value;
	size_t len;
};

struct xattrs {
	struct xattr *items;
	size_t n;
};

/*
 * Read the attributes of an entry. With a prefix, leave the overlay's marks
 * out, and give programs' attributes their own names back.
 */
int xattrs_read(struct arena *arena, int dir, const char *name,
		const char *prefix, struct xattrs *ret);
bool xattrs_equal(const struct xattrs *a, const struct xattrs *b);
/* Give an entry exactly these attributes. */
int xattrs_write(struct arena *arena, int dir, const char *name,
		 const struct xattrs *wanted);
enum xattrs_marks {
	MARKS_NONE,
	MARKS_ONLY,
	MARKS_AND_DATA, /* and attributes of programs with that prefix */
};

/* Say what an entry has with the overlay's prefix. */
int xattrs_find_marks(int dir, const char *name, const char *prefix,
		      enum xattrs_marks *ret);
/* Remove every attribute with the overlay's prefix. */
int xattrs_strip(int dir, const char *name, const char *prefix);

/* Read a mark of the overlay; its length, -1 if there is none. */
ssize_t xattrs_mark(int dir, const char *name, const char *prefix,
		    const char *mark, char *ret, size_t size);
/* Like xattrs_mark for "opaque": its letter, 0 if there is none. */
char xattrs_opaque(int dir, const char *name, const char *prefix);
