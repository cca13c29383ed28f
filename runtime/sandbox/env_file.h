/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/env_file.h - variables whose values are not on the command
 * line.
 */
#pragma once

#include <stddef.h>

struct arena;
struct strings;
struct policy;

/*
 * Add the variables of these files (--env-file) to those of a policy. The
 * policy's own override a file's, and a later file's an earlier one's. A line
 * is NAME=VALUE with a literal value, NAME alone for the caller's value, a
 * comment that begins with #, or empty.
 */
int env_files_add(struct arena *arena, const struct strings *files,
		  const struct strings *caller, struct policy *policy);
/*
 * Move the values on our own command line (size bytes at words) to the arena,
 * so that ps(1) shows only NAME=.
 */
int env_hide_words(struct arena *arena, char *words, size_t size,
		   struct policy *policy);
