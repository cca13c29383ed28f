/* SPDX-License-Identifier: Apache-2.0 */
/* base/mountinfo.h - /proc/PID/mountinfo, which lists the mounts of a namespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* One line; its texts are without escapes. */
struct mountinfo_line {
	uint64_t id;
	uint64_t parent;
	const char *root;  /* the directory of the file system that is mounted */
	const char *point; /* where */
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
 * Take a line apart, in place, without its newline; false when it is none. It
 * allocates nothing: the child calls it, too.
 */
bool mountinfo_parse(char *line, struct mountinfo_line *ret);
/* All lines of /proc/<process>/mountinfo: "self", "123". */
int mountinfo_read(struct arena *arena, int proc, const char *process,
		   struct mountinfo *ret);
/* As mountinfo_read, of a text that is taken apart. */
int mountinfo_split(struct arena *arena, char *text, struct mountinfo *ret);
