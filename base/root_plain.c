/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/root_plain.c - open paths where the root is always that of the host, on
 * platforms without openat2().
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/root.h"

#ifndef O_NOFOLLOW_ANY
#define O_NOFOLLOW_ANY 0x20000000 /* macOS 11 */
#endif

static const char *below(const char *path)
{
	path += strspn(path, "/");
	return *path ? path : ".";
}

int root_open(int root, const char *path, int flags)
{
	return openat(root, below(path), flags);
}

int root_open_plain(int root, const char *path, int flags)
{
	return openat(root, below(path), flags | O_NOFOLLOW_ANY);
}
