/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cve/tracer.c - trace a process of the same user, as a debugger would.
 *
 *	tracer PID	print each way that works, or "none"
 *	tracer		try all visible processes: append "traced" to /found for
 *			each with more descriptors than the usual three; remove
 *			/ask after each round
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

static void let_go(pid_t pid)
{
	ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	waitpid(pid, NULL, __WALL);
	ptrace(PTRACE_DETACH, pid, 0, 0);
}

static int seize(pid_t pid)
{
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0)
		return 0;
	let_go(pid);
	return 1;
}

static int attach(pid_t pid)
{
	if (ptrace(PTRACE_ATTACH, pid, 0, 0) < 0)
		return 0;
	waitpid(pid, NULL, __WALL);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	return 1;
}

static int opens(pid_t pid, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	fd = open(path, flags);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int memory(pid_t pid)
{
	return opens(pid, "mem", O_RDWR);
}

/* A process of the same uid sees the numbers, but not the targets. */
static int descriptors(pid_t pid)
{
	char path[64], target[300];

	for (int fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
		if (readlink(path, target, sizeof target) > 0)
			return 1;
	}
	return 0;
}

static int variables(pid_t pid)
{
	return opens(pid, "environ", O_RDONLY);
}

static int take_descriptor(pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	return pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 0, 0) >= 0;
}

static const struct {
	const char *name;
	int (*try)(pid_t pid);
} ways[] = {
	{ "seize", seize },	  { "attach", attach },
	{ "mem", memory },	  { "fd", descriptors },
	{ "environ", variables }, { "pidfd_getfd", take_descriptor },
};

static void try_all(pid_t pid)
{
	int any = 0;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (ways[i].try(pid)) {
			puts(ways[i].name);
			any = 1;
		}
	if (!any)
		puts("none");
}

static int has_more_descriptors(const char *pid)
{
	char path[300];
	int more = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	for (struct dirent *e; (e = readdir(dir));)
		more |= isdigit((unsigned char)e->d_name[0]) &&
			atoi(e->d_name) > 2;
	closedir(dir);
	return more;
}

static void hunt(const char *name)
{
	pid_t pid = atoi(name);
	int fd;

	if (pid == getpid() || ptrace(PTRACE_SEIZE, pid, 0, 0) < 0)
		return;
	if (has_more_descriptors(name)) {
		fd = open("/found", O_WRONLY | O_CREAT | O_APPEND, 0666);
		dprintf(fd, "traced\n");
		close(fd);
	}
	let_go(pid);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		try_all(atoi(argv[1]));
		return 0;
	}
	for (;;) {
		DIR *dir = opendir("/proc");

		if (!dir)
			return 1;
		for (struct dirent *e; (e = readdir(dir));)
			if (isdigit((unsigned char)e->d_name[0]))
				hunt(e->d_name);
		closedir(dir);
		(void)unlink("/ask");
	}
}
