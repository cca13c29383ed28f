/* SPDX-License-Identifier: Apache-2.0 */
/* base/io.h - whole files in, whole files out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;

/* Read to the end, at most max bytes (EFBIG beyond); the text ends in NUL. */
int io_read_all(struct arena *arena, int fd, size_t max, char **ret_text,
		size_t *ret_len);
/* Open and read a small text file below dir; a trailing newline is cut. */
int io_read_at(struct arena *arena, int dir, const char *name, size_t max,
	       char **ret_text);
/* All of it, or -errno; retries short writes and EINTR. Records nothing. */
int io_write_all(int fd, const void *data, size_t len);
/* One write(2) of text to an existing file below dir. Records the failure. */
int io_write_at(int dir, const char *name, const char *text);
/* Write name.tmp, then rename it to name; mode as given. */
int io_replace_at(int dir, const char *name, const char *data, size_t len,
		  mode_t mode);
/* Remove a directory and all below it, without following links. */
int io_remove_tree_at(int dir, const char *name);
/* One message with up to 8 descriptors over a Unix socket; -errno. */
int io_send_fds(int sock, const void *data, size_t len, const int *fds,
		size_t nfds);
/*
 * Connect to a Unix socket by path (any length); the descriptor. Neither that
 * nor what is sent there waits long for a peer that does nothing.
 */
int io_connect_unix(const char *path, int type);
