/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/copy.h - a file that gets a copy of the output of hooks. */
#pragma once

#include <stddef.h>

/* The runtime writes to it; hooks never get the descriptor. */
struct copy {
	const char *path; /* NULL: none */
	int fd;
};

#define COPY_NONE        \
	{                \
		.fd = -1 \
	}

/*
 * Open a file; /dev/stdout and /dev/stderr are our own, other links are
 * refused.
 */
int copy_open(const char *path, struct copy *ret);
/* Write at most PIPE_BUF bytes; after a failure, nothing more is written. */
void copy_add(struct copy *copy, const char *data, size_t len);
void copy_close(struct copy *copy);
