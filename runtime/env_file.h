/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/env_file.h - variables from files: values that no command line shows. */
#pragma once

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
