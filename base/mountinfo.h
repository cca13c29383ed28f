/* SPDX-License-Identifier: Apache-2.0 */
/* base/mountinfo.h - parse /proc/PID/mountinfo, the mounts of a namespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* A line; escapes in its texts are resolved. */
struct mountinfo_line {
	uint64_t id;
	uint64_t parent;
	uint32_t device;  /* of the file system, as MOUNTINFO_DEVICE */
	const char *root; /* the directory of the file system that is mounted */
	const char *point; /* the mount point */
	bool shared;	   /* mounts on it appear in other namespaces, too */
	const char *type;
	const char *source;
	const char *options; /* of the file system */
};

/* The kernel's own number of a device; st_dev may be another one. */
#define MOUNTINFO_DEVICE(major, minor) ((uint32_t)(major) << 20 | (minor))

struct mountinfo {
	struct mountinfo_line *items;
	size_t n;
};

/*
 * Parse a line without its newline in place; false if it is invalid. This
 * allocates nothing, because the child calls it, too.
 */
bool mountinfo_parse(char *line, struct mountinfo_line *ret);
/* Read all lines of /proc/<process>/mountinfo: "self", "123". */
int mountinfo_read(struct arena *arena, int proc, const char *process,
		   struct mountinfo *ret);
/* Like mountinfo_read, for a text, which is modified. */
int mountinfo_split(struct arena *arena, char *text, struct mountinfo *ret);

/* ---- mountinfo_path.c: paths without links, and mounts ---- */

/*
 * Return what follows dir in a path at or below it: "" or "/..."; NULL if it is
 * elsewhere.
 */
const char *mountinfo_rest(const char *path, const char *dir);
/* Return the mount that shows a path; NULL if none does. */
const struct mountinfo_line *mountinfo_of(const struct mountinfo *mounts,
					  const char *path);
const struct mountinfo_line *mountinfo_by_id(const struct mountinfo *mounts,
					     uint64_t id);
/*
 * Convert a path on a mount to the one inside its file system, and back; NULL
 * if the mount does not show it, or with a recorded error.
 */
char *mountinfo_inner(struct arena *arena, const struct mountinfo_line *mount,
		      const char *path);
char *mountinfo_outer(struct arena *arena, const struct mountinfo_line *mount,
		      const char *inner);
