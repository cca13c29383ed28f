/* SPDX-License-Identifier: Apache-2.0 */
/* base/proc_stat.c - open, verify and read our procfs; the parent's part. */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"

#define PROC_ROOT_INODE 1

int proc_open(void)
{
	autoclose int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return fail(errno, "open /proc");
	if (fstatfs(fd, &fs) < 0 || fstat(fd, &st) < 0)
		return fail(errno, "stat /proc");
	if (fs.f_type != PROC_SUPER_MAGIC || st.st_ino != PROC_ROOT_INODE)
		return fail(0, "/proc is not a procfs");
	return take_fd(&fd);
}

int proc_stat(int proc, pid_t pid, uint64_t *ret_start, char *ret_state)
{
	char name[32], line[1024], *p;
	ssize_t n;

	snprintf(name, sizeof name, "%d/stat", pid);

	autoclose int fd = proc_open_at(proc, name, O_RDONLY);

	if (fd < 0)
		return fail(errno, "open /proc/%s", name);
	n = read(fd, line, sizeof line - 1);
	if (n < 0)
		return fail(errno, "read /proc/%s", name);
	line[n] = '\0';
	/* The command name may hold anything, so count from its end. */
	p = strrchr(line, ')');
	if (!p || strlen(p) < 4)
		return fail(EINVAL, "parse /proc/%s", name);
	*ret_state = p[2];
	for (int field = 2; field < 22 && p; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return fail(EINVAL, "parse /proc/%s", name);
	*ret_start = strtoull(p + 1, NULL, 10);
	return 0;
}
