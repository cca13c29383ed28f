/* SPDX-License-Identifier: Apache-2.0 */
/* base/proc_stat.c - open /proc, and read the state of processes from it. */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"

#define PROC_ROOT_INODE 1
#define STAT_SIZE 1024
#define STATUS_SIZE 4096

int proc_open(void)
{
	autoclose int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return fail(errno,
			    "open /proc, where a procfs must be mounted");
	if (fstatfs(fd, &fs) < 0 || fstat(fd, &st) < 0)
		return fail(errno, "find out whether /proc is a procfs mount");
	if (fs.f_type != PROC_SUPER_MAGIC || st.st_ino != PROC_ROOT_INODE)
		return fail(0,
			    "/proc is not a procfs mount (mount -t proc proc "
			    "/proc)");
	return take_fd(&fd);
}

bool proc_path_of(int proc, int fd, char *ret)
{
	char name[32];
	ssize_t n;

	snprintf(name, sizeof name, "self/fd/%d", fd);
	n = readlinkat(proc, name, ret, PATH_MAX);
	if (n <= 0 || n == PATH_MAX || ret[0] != '/')
		return false;
	ret[n] = '\0';
	return true;
}

/*
 * Read from the state letter (field 3) on: the name before it may contain
 * anything.
 */
static int read_stat(int proc, pid_t pid, char *line, size_t size,
		     const char **ret_state)
{
	char name[32];
	ssize_t n;

	snprintf(name, sizeof name, "%d/stat", pid);

	autoclose int fd = proc_open_at(proc, name, O_RDONLY);

	if (fd < 0)
		return fail(errno, "open a process's state /proc/%s", name);
	n = read(fd, line, size - 1);
	if (n < 0)
		return fail(errno, "read a process's state from /proc/%s",
			    name);
	line[n] = '\0';
	line = strrchr(line, ')');
	if (!line || strlen(line) < 4)
		return fail(EINVAL,
			    "/proc/%s has an unknown format, so the "
			    "process's state is unknown",
			    name);
	*ret_state = line + 2;
	return 0;
}

static uint64_t stat_number(const char *state, int field)
{
	for (int i = 3; i < field && state; i++) {
		state = strchr(state, ' ');
		state = state ? state + 1 : NULL;
	}
	return state ? strtoull(state, NULL, 10) : 0;
}

int proc_stat(int proc, pid_t pid, uint64_t *ret_start, char *ret_state)
{
	char line[STAT_SIZE];
	const char *state = "";
	int r = read_stat(proc, pid, line, sizeof line, &state);

	if (r < 0)
		return r;
	*ret_state = *state;
	*ret_start = stat_number(state, 22);
	return 0;
}

int proc_flags(int proc, pid_t pid, uint64_t *ret_start, uint64_t *ret_flags)
{
	char line[STAT_SIZE];
	const char *state = "";
	int r = read_stat(proc, pid, line, sizeof line, &state);

	if (r < 0)
		return r;
	*ret_start = stat_number(state, 22);
	*ret_flags = stat_number(state, 9);
	return 0;
}

int proc_life(int proc, pid_t pid, uint64_t *ret_start, bool *ret_ends)
{
	uint64_t flags;
	int r = proc_flags(proc, pid, ret_start, &flags);

	if (r < 0)
		return r;
	*ret_ends = flags & PROC_EXITING;
	return 0;
}

pid_t proc_parent(int proc, pid_t pid)
{
	char line[STAT_SIZE];
	const char *state;

	if (read_stat(proc, pid, line, sizeof line, &state) < 0) {
		err_clear();
		return 0;
	}
	return (pid_t)stat_number(state, 4);
}

static uint64_t flags_of(int proc, pid_t pid, uint64_t if_unknown)
{
	char line[STAT_SIZE];
	const char *state;

	if (read_stat(proc, pid, line, sizeof line, &state) < 0) {
		err_clear();
		return if_unknown;
	}
	return stat_number(state, 9);
}

bool proc_never_execed(int proc, pid_t pid)
{
	return flags_of(proc, pid, 0) & PROC_NEVER_EXECED;
}

bool proc_ends(int proc, pid_t pid)
{
	return flags_of(proc, pid, PROC_EXITING) & PROC_EXITING;
}

void proc_end_with(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A parent in another pid namespace is 0, dead or alive. */
	if (getppid() != parent && getppid() != 0)
		_exit(127);
}

uint64_t proc_ignored_signals(int proc)
{
	static const char key[] = "\nSigIgn:\t";
	autoclose int fd = proc_open_at(proc, "self/status", O_RDONLY);
	char text[STATUS_SIZE];
	const char *at;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n < 0)
		return ~0ULL;
	text[n] = '\0';
	at = strstr(text, key);
	return at ? strtoull(at + sizeof key - 1, NULL, 16) : ~0ULL;
}
