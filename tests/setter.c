/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/setter.c - try every call that could give a file S_ISUID or S_ISGID.
 *
 *	setter DIR	"NAME: set", "NAME: not set" or the error, in DIR
 *	setter tty	the same of ioctls on the terminal at standard input
 *	setter plain DIR	modes without these bits, which must work
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

#define GARBAGE (1UL << 32)
#define NEW "new"

static unsigned long mode, high;

static int make(void)
{
	int fd = open(NEW, O_CREAT | O_RDWR | O_EXCL, 0644);

	return fd < 0 ? -1 : fd;
}

static long by_fchmod(void)
{
	int fd = make();
	long r = syscall(SYS_fchmod, fd, mode | high);
	int error = errno;

	close(fd);
	errno = error;
	return r;
}

static long by_fchmodat(void)
{
	close(make());
	return syscall(SYS_fchmodat, AT_FDCWD, NEW, mode | high);
}

static long by_fchmodat2(void)
{
	close(make());
	return syscall(SYS_fchmodat2, AT_FDCWD, NEW, mode | high, 0);
}

static long by_mknodat(void)
{
	return syscall(SYS_mknodat, AT_FDCWD, NEW, S_IFREG | mode | high, 0);
}

static long by_openat(void)
{
	return syscall(SYS_openat, AT_FDCWD, NEW, O_CREAT | O_RDWR | high,
		       mode | high);
}

static long by_tmpfile(void)
{
	char path[64];
	long fd = syscall(SYS_openat, AT_FDCWD, ".", O_TMPFILE | O_RDWR,
			  mode | high);

	if (fd < 0)
		return fd;
	snprintf(path, sizeof path, "/proc/self/fd/%ld", fd);
	return linkat(AT_FDCWD, path, AT_FDCWD, NEW, AT_SYMLINK_FOLLOW);
}

static long by_openat2(void)
{
	struct {
		unsigned long long flags, mode, resolve;
	} how = { O_CREAT | O_RDWR, mode, 0 };

	return syscall(SYS_openat2, AT_FDCWD, NEW, &how, sizeof how);
}

static long by_mkdirat(void)
{
	return syscall(SYS_mkdirat, AT_FDCWD, NEW, mode | high);
}

/* What setcap does. */
static long by_capability(void)
{
	struct vfs_cap_data cap = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data = { { .permitted = 1U << CAP_SETUID } },
	};

	close(make());
	return setxattr(NEW, "security.capability", &cap, sizeof cap, 0);
}

#ifdef SYS_chmod
static long by_chmod(void)
{
	close(make());
	return syscall(SYS_chmod, NEW, mode | high);
}

static long by_mknod(void)
{
	return syscall(SYS_mknod, NEW, S_IFREG | mode | high, 0);
}

static long by_open(void)
{
	return syscall(SYS_open, NEW, O_CREAT | O_RDWR | high, mode | high);
}

static long by_creat(void)
{
	return syscall(SYS_creat, NEW, mode | high);
}

static long by_mkdir(void)
{
	return syscall(SYS_mkdir, NEW, mode | high);
}
#endif

static const struct {
	const char *name;
	long (*try)(void);
} ways[] = {
	{ "fchmod", by_fchmod },
	{ "fchmodat", by_fchmodat },
	{ "fchmodat2", by_fchmodat2 },
	{ "mknodat", by_mknodat },
	{ "openat", by_openat },
	{ "tmpfile", by_tmpfile },
	{ "openat2", by_openat2 },
	{ "mkdirat", by_mkdirat },
#ifdef SYS_chmod
	{ "chmod", by_chmod },
	{ "mknod", by_mknod },
	{ "open", by_open },
	{ "creat", by_creat },
	{ "mkdir", by_mkdir },
#endif
	{ "capability", by_capability },
};

static void try(const char *name, long (*way)(void))
{
	struct stat st = { 0 };
	char cap[64];
	const char *result;

	errno = 0;
	result = way() < 0 ? strerror(errno) : "not set";
	if (lstat(NEW, &st) == 0 &&
	    (st.st_mode & (S_ISUID | S_ISGID) ||
	     getxattr(NEW, "security.capability", cap, sizeof cap) > 0))
		result = "set";
	printf("%s: %s\n", name, result);
	if (S_ISDIR(st.st_mode))
		rmdir(NEW);
	else
		unlink(NEW);
}

static void try_modes(const char *const *modes)
{
	for (; *modes; modes++)
		for (high = 0; high <= GARBAGE; high += GARBAGE) {
			mode = strtoul(*modes, NULL, 8);
			for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
				try(ways[i].name, ways[i].try);
		}
}

static void try_terminal(void)
{
	static const struct {
		const char *name;
		unsigned long request;
	} requests[] = {
		{ "TIOCEXCL", TIOCEXCL },
		{ "TIOCEXCL and garbage", TIOCEXCL | GARBAGE },
		{ "TIOCCONS", TIOCCONS },
		{ "TIOCVHANGUP", TIOCVHANGUP },
		{ "TIOCSLCKTRMIOS", TIOCSLCKTRMIOS },
		{ "TIOCNXCL", TIOCNXCL },
	};

	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		printf("%s: %s\n", requests[i].name,
		       syscall(SYS_ioctl, 0, requests[i].request, 0) < 0 ?
			       strerror(errno) :
			       "done");
}

int main(int argc, char **argv)
{
	static const char *const bits[] = { "4755", "2755", "6755", NULL };
	static const char *const plain[] = { "1755", "644", NULL };

	umask(0);
	if (argc == 2 && strcmp(argv[1], "tty") == 0) {
		try_terminal();
		return 0;
	}
	if (argc < 2 || chdir(argv[argc - 1]) < 0)
		return 1;
	try_modes(argc == 2 ? bits : plain);
	return 0;
}
