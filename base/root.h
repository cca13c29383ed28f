/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/root.h - paths inside a root directory, resolved once, to descriptors.
 *
 * Symbolic links stay inside the root and magic links are refused, whatever
 * the tree's owner does meanwhile. These run in the child, too: nothing here
 * allocates, formats or records an error; -1 and errno.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Open path inside root; flags as open(2). */
int root_open(int root, const char *path, int flags);
/* The same, and ELOOP if any component is a symbolic link. */
int root_open_plain(int root, const char *path, int flags);
/* O_PATH of the directory at path, made with its parents (0755) where missing. */
int root_make_dir(int root, const char *path, mode_t mode, bool *ret_created);
/* O_PATH of the file at path, made empty (0644) with its parents where missing. */
int root_make_file(int root, const char *path, bool *ret_created);
/*
 * O_PATH of the directory that holds the last component of path, made where
 * missing; the component's name is copied to ret_name (NAME_MAX + 1 bytes).
 */
int root_make_parent(int root, const char *path, char *ret_name);
