/* SPDX-License-Identifier: Apache-2.0 */
/* base/io.h - read and write whole files; send descriptors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;

/* Read to the end, at most max bytes (else EFBIG); the text ends with NUL. */
int io_read_all(struct arena *arena, int fd, size_t max, char **ret_text,
		size_t *ret_len);
/* Open and read a small text file below dir, without a final newline. */
int io_read_at(struct arena *arena, int dir, const char *name, size_t max,
	       char **ret_text);
/* Write everything, or return -errno; records no error. */
int io_write_all(int fd, const void *data, size_t len);
/*
 * Write text to an existing file below dir by one write(2); records an error.
 */
int io_write_at(int dir, const char *name, const char *text);
/* Write name.tmp, then rename it to name; mode as given. */
int io_replace_at(int dir, const char *name, const char *data, size_t len,
		  mode_t mode);
/* Remove a directory and everything below it; follow no links. */
int io_remove_tree_at(int dir, const char *name);
/* Most descriptors that one message carries. */
#define IO_MAX_FDS 16

/* Send one message with up to IO_MAX_FDS descriptors to a Unix socket; -errno. */
int io_send_fds(int sock, const void *data, size_t len, const int *fds,
		size_t nfds);
/*
 * Receive one message from a Unix socket and the descriptors sent with it; the
 * result is its length, 0 at end of file, or -errno. Descriptors beyond the
 * room for them are closed, and the message is an error.
 */
ssize_t io_receive_fds(int sock, void *data, size_t size, int *fds, size_t room,
		       size_t *ret_nfds);
/*
 * Connect to a Unix socket by a path of any length; return the descriptor.
 * Connecting and sending time out if the peer does not respond.
 */
int io_connect_unix(const char *path, int type);
