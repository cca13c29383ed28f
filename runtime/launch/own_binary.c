/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/own_binary.c - execute the runtime again from a file that
 * cannot be written.
 *
 * Processes in a container can see the binary of a process that enters it, as
 * /proc/PID/exe. They cannot make a detached read-only clone of its mount
 * writable. Where the kernel denies that clone, use a sealed memory file, which
 * is not connected to the file on disk.
 */
#include "runtime/launch/own_binary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/sys.h"

#define ALL_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
#define MAX_ARGUMENTS (2UL << 20)
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* Protected means a read-only mount of just this file, or a sealed file. */
static bool is_protected(int exe)
{
	struct statvfs fs;
	struct statx stx;
	int seals = fcntl(exe, F_GET_SEALS);

	if (seals >= 0)
		return (seals & ALL_SEALS) == ALL_SEALS;
	return statx(exe, "", AT_EMPTY_PATH, 0, &stx) == 0 &&
	       stx.stx_attributes & STATX_ATTR_MOUNT_ROOT &&
	       fstatvfs(exe, &fs) == 0 && fs.f_flag & ST_RDONLY;
}

static int clone_read_only(int exe)
{
	struct kernel_mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };
	autoclose int tree =
		sys_open_tree(exe, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);

	if (tree < 0 || sys_mount_setattr(tree, 0, &attr) < 0)
		return -1;
	return take_fd(&tree);
}

static int copy_sealed(int exe)
{
	autoclose int copy =
		memfd_create("sandlock-oci",
			     MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
	off_t at = 0;
	struct stat st;

	if (copy < 0)
		copy = memfd_create("sandlock-oci",
				    MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copy < 0 || fstat(exe, &st) < 0)
		return fail(errno, "copy the runtime's own binary into memory");
	while (at < st.st_size)
		if (sendfile(copy, exe, &at, (size_t)(st.st_size - at)) <= 0)
			return fail(errno, "copy the runtime's own binary into "
					   "memory");
	if (fcntl(copy, F_ADD_SEALS, ALL_SEALS) < 0)
		return fail(errno, "seal the copy of the runtime's own binary");
	return take_fd(&copy);
}

/* Read /proc/self/cmdline into an argv. */
static int own_arguments(struct arena *arena, char ***ret)
{
	autoclose int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char *text, **argv;
	size_t len, n = 0;
	int r;

	if (fd < 0)
		return fail(errno, "open /proc/self/cmdline");
	r = io_read_all(arena, fd, MAX_ARGUMENTS, &text, &len);
	if (r < 0)
		return fail_in(r, "/proc/self/cmdline");
	for (size_t i = 0; i < len; i++)
		n += !text[i];
	argv = arena_array(arena, n + 1, sizeof *argv);
	if (!argv)
		return -ENOMEM;
	for (size_t i = 0, at = 0; i < n; i++) {
		argv[i] = text + at;
		while (text[at])
			at++;
		at++;
	}
	*ret = argv;
	return 0;
}

/*
 * Keep descriptors of the caller open, but none that leads to the binary: a
 * process inside could write the file through it.
 */
static int keep_open(unsigned int n, int exe, int safe)
{
	autoclosedir DIR *dir = opendir("/proc/self/fd");

	if (!dir)
		return fail(
			errno,
			"list /proc/self/fd to find the inherited descriptors");
	for (struct dirent *e; (e = readdir(dir));) {
		uint32_t fd;

		if (e->d_name[0] == '.' || num_u32(e->d_name, &fd) < 0)
			continue;
		if (fd < 3 || fd - 3 >= n || (int)fd == exe ||
		    (int)fd == safe || (int)fd == dirfd(dir))
			continue;
		if (fcntl((int)fd, F_SETFD, 0) < 0)
			return fail(errno,
				    "keep the inherited descriptor %u open",
				    fd);
	}
	return 0;
}

int own_binary_protect(unsigned int preserved)
{
	autoclose int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	autoclose int safe = -1;
	struct arena arena;
	char **argv = NULL;
	int r;

	if (exe < 0)
		return fail(errno,
			    "open the runtime's own binary (/proc/self/exe)");
	if (is_protected(exe))
		return 0;
	safe = clone_read_only(exe);
	if (safe < 0)
		safe = copy_sealed(exe);
	if (safe < 0)
		return safe;
	r = arena_open(&arena, 8UL << 20);
	if (r < 0)
		return r;
	r = own_arguments(&arena, &argv);
	if (r < 0)
		return r;
	r = keep_open(preserved, exe, safe);
	if (r < 0)
		return r;
	(void)syscall(SYS_execveat, safe, "", argv, environ, AT_EMPTY_PATH);
	return fail(errno,
		    "execute the protected copy of the runtime's own binary");
}
