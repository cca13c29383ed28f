/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/copy.h - a file that gets what hooks print. */
#pragma once

#include <stddef.h>

/* The runtime writes it; hooks never have the descriptor. */
struct copy {
	const char *path; /* NULL: there is none */
	int fd;
};

#define COPY_NONE        \
	{                \
		.fd = -1 \
	}

/* /dev/stdout and /dev/stderr are our own; another link is refused. */
int copy_open(const char *path, struct copy *ret);
/* One piece of at most PIPE_BUF. The first that cannot be written is the last. */
void copy_add(struct copy *copy, const char *data, size_t len);
void copy_close(struct copy *copy);
