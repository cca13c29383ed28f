/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/env_file.h - values of variables that no command line shows. */
#pragma once

#include <stddef.h>

struct arena;
struct oci_strings;
struct policy;

/*
 * Add the variables of these files (--env-file) to those of a policy: what it
 * has already stays, and a later file wins over an earlier one. A line is
 * NAME=VALUE with the value as it stands there, NAME alone for the caller's
 * value, a comment that begins with #, or empty.
 */
int env_files_add(struct arena *arena, const struct oci_strings *files,
		  const struct oci_strings *caller, struct policy *policy);
/*
 * Move the values that stand on our own command line (size bytes at words) to
 * the arena: from then on ps(1) shows NAME= alone.
 */
int env_hide_words(struct arena *arena, char *words, size_t size,
		   struct policy *policy);
