/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/own_files.h - private files of a sandbox: /etc/hostname with its
 * name, and /etc/hosts with a line for that name.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct view;
struct view_input;

struct own_file {
	const char *path; /* inside, without links */
	const char *text;
	bool covers; /* it is mounted over a host file that the view shows */
};

/*
 * Add them to a view, except for a file that is denied, that a mount of the
 * policy provides, or that is missing in a directory that the view shows.
 */
int own_files_add(struct arena *arena, const struct view_input *input, int proc,
		  struct view *view);
