/* SPDX-License-Identifier: Apache-2.0 */
/* base/pid_file.c - write a pid file atomically. */
#include "base/pid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"

#define MAX_PATH 4096
#define MAX_TRIES 100

/* Give the file its name; link(2) does not replace an existing file. */
static int name_it(int fd, const char *path)
{
	char self[32];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	for (int tries = 0; tries < MAX_TRIES; tries++) {
		if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ==
		    0)
			return 0;
		if (errno != EEXIST || (unlink(path) < 0 && errno != ENOENT))
			return fail(errno, "--pid-file: write %s", path);
	}
	return fail(0,
		    "--pid-file: other processes keep creating %s (choose "
		    "another path)",
		    path);
}

/* For file systems without O_TMPFILE, such as NFS: use a temporary name. */
static int write_beside(const char *path, const char *text)
{
	char temporary[MAX_PATH];
	int n = snprintf(temporary, sizeof temporary, "%s.tmp", path);
	int r;

	if (n < 0 || (size_t)n >= sizeof temporary)
		return fail(ENAMETOOLONG, "--pid-file: %.64s…", path);

	autoclose int fd =
		open(temporary,
		     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		     0644);

	if (fd < 0)
		return fail(errno, "--pid-file: create %s", temporary);
	r = io_write_all(fd, text, strlen(text));
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r == 0)
		return 0;
	(void)unlink(temporary);
	return fail(-r, "--pid-file: write %s", path);
}

int pid_file_write(const char *path, pid_t pid)
{
	char folder[MAX_PATH], text[16];
	int n = snprintf(folder, sizeof folder, "%s", path);
	int r;

	if (n < 0 || (size_t)n >= sizeof folder)
		return fail(ENAMETOOLONG, "--pid-file: %.64s…", path);
	/* No newline: some readers do not accept it. */
	snprintf(text, sizeof text, "%d", pid);

	/* A file without a name leaves nothing behind if we are killed. */
	autoclose int fd =
		open(dirname(folder), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EOPNOTSUPP)
		return write_beside(path, text);
	if (fd < 0)
		return fail(errno, "--pid-file: create %s", path);
	r = io_write_all(fd, text, strlen(text));
	if (r < 0)
		return fail(-r, "--pid-file: write %s", path);
	return name_it(fd, path);
}
