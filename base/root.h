/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/root.h - resolve paths inside a root directory to descriptors.
 *
 * Symbolic links stay inside the root and magic links are refused, whatever the
 * owner of the tree changes in the meantime. The child uses these functions,
 * too: they do not allocate, format or record an error; -1 and errno.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Open path inside root; flags as for open(2). */
int root_open(int root, const char *path, int flags);
/* Like root_open, but ELOOP if any component is a symbolic link. */
int root_open_plain(int root, const char *path, int flags);
/* Open a directory with O_PATH; make it and its parents (0755) if missing. */
int root_make_dir(int root, const char *path, mode_t mode, bool *ret_created);
/* Open a file with O_PATH; make it (empty, 0644) and its parents if missing. */
int root_make_file(int root, const char *path, bool *ret_created);
/*
 * Open the directory that contains the last component of path with O_PATH, made
 * if missing; copy the component to ret_name (NAME_MAX + 1 bytes).
 */
int root_make_parent(int root, const char *path, char *ret_name);
