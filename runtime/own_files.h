/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/own_files.h - files that a sandbox has of its own: /etc/hostname with
 * its name, and /etc/hosts with a line for that name.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct request;
struct view;

struct own_file {
	const char *path; /* inside, without links */
	const char *text;
	bool covers; /* a file that the view shows, which stays as it is */
};

/*
 * Add them to a view. None where the name is denied, where a mount of the
 * policy brings it, or where a directory is shown that lacks it.
 */
int own_files_add(struct arena *arena, const struct request *request, int proc,
		  struct view *view);
