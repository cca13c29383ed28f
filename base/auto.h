/* SPDX-License-Identifier: Apache-2.0 */
/* base/auto.h - variables that release their resource when they leave scope. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define AUTO(fn) __attribute__((cleanup(fn)))

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

static inline void closedirp(DIR **dir)
{
	int saved = errno;

	if (*dir)
		closedir(*dir);
	*dir = NULL;
	errno = saved;
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define autofree AUTO(freep)
#define autoclose AUTO(closep)
#define autoclosedir AUTO(closedirp)
#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})
