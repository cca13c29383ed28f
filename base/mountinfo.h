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
	const char *root; /* the directory of the file system that is mounted */
	const char *point; /* the mount point */
	bool shared;	   /* mounts on it appear in other namespaces, too */
	const char *type;
	const char *source;
	const char *options; /* of the file system */
};

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
