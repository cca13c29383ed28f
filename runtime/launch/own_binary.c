/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/own_binary.c - run the runtime from a file that cannot be
 * written.
 *
 * Processes in a container can see the binary of a process that enters it, as
 * /proc/PID/exe. They cannot make a detached read-only clone of its mount
 * writable. This process takes that clone as its binary while it runs, or
 * executes it, if the kernel denies the first. Where the kernel denies the
 * clone, it executes a sealed memory file, which is not connected to the file
 * on disk.
 */
#include "runtime/launch/own_binary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
#define FIRST_FIELD 26 /* of /proc/self/stat that is read */
#define MAX_ARGUMENTS (2UL << 20)
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static int open_own(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

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

/*
 * Taking another file as this program's: the kernel exchanges /proc/PID/exe
 * (PR_SET_MM) when nothing in memory is mapped from the old file. It compares
 * mounts as well as files, so the segments that are only read are mapped again
 * from the new mount. Those that were written (by relocation, too) become
 * anonymous memory. If the kernel denies it, the program works as before.
 */

/* The linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct span {
	char *at;
	size_t len;
};

static struct span pages_of(uintptr_t at, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = at & ~(page - 1);
	uintptr_t end = (at + len + page - 1) & ~(page - 1);

	return (struct span){ (char *)start, end - start };
}

/*
 * The sanitizer forbids to read what lies between two variables, and this
 * reads all of it.
 */
__attribute__((no_sanitize("address"))) static void
copy_words(void *to, const void *from, size_t len)
{
	volatile uintptr_t *out = to;
	const volatile uintptr_t *in = from;

	for (size_t i = 0; i < len / sizeof *in; i++)
		out[i] = in[i];
}

static int make_anonymous(struct span s)
{
	void *copy = mmap(NULL, s.len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return -1;
	/* Nothing writes a variable between the copy and its move. */
	copy_words(copy, s.at, s.len);
	return mremap(copy, s.len, s.len, MREMAP_MAYMOVE | MREMAP_FIXED,
		      s.at) == MAP_FAILED ?
		       -1 :
		       0;
}

static int map_again(const ElfW(Phdr) * p, uintptr_t base, int file)
{
	struct span s = pages_of(base + p->p_vaddr, p->p_filesz);
	size_t before = (size_t)(base + p->p_vaddr - (uintptr_t)s.at);
	int prot = (p->p_flags & PF_R ? PROT_READ : 0) |
		   (p->p_flags & PF_X ? PROT_EXEC : 0);

	if (p->p_flags & PF_W)
		return make_anonymous(s);
	return mmap(s.at, s.len, prot, MAP_PRIVATE | MAP_FIXED, file,
		    (off_t)(p->p_offset - before)) == MAP_FAILED ?
		       -1 :
		       0;
}

/* As the C library does after relocation: only whole pages. */
static int protect_relocated(const ElfW(Phdr) * p, uintptr_t base)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (base + p->p_vaddr) & ~(page - 1);
	uintptr_t end = (base + p->p_vaddr + p->p_memsz) & ~(page - 1);

	return mprotect((char *)start, end - start, PROT_READ);
}

/* Read these fields of /proc/self/stat, counted as in proc_pid_stat(5). */
static int read_stat(size_t first, size_t n, uint64_t *ret)
{
	autoclose int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[1024], *at;
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (len < 0)
		return -1;
	text[len] = '\0';
	at = strrchr(text, ')');
	for (size_t field = 2; at && field < first; field++)
		at = strchr(at + 1, ' ');
	for (size_t i = 0; i < n; i++) {
		char *end = at;

		if (at)
			ret[i] = strtoull(at, &end, 10);
		if (end == at) {
			errno = EINVAL;
			return -1;
		}
		at = end;
	}
	return 0;
}

/*
 * Change nothing but the file. PR_SET_MM_MAP needs CAP_CHECKPOINT_RESTORE or
 * CAP_SYS_ADMIN, where PR_SET_MM_EXE_FILE needs CAP_SYS_RESOURCE.
 */
static int set_file(int file)
{
	struct prctl_mm_map map = { .exe_fd = (uint32_t)file };
	uint64_t field[52];

	if (prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, (unsigned long)file, 0, 0) ==
	    0)
		return 0;
	if (errno != EPERM ||
	    read_stat(FIRST_FIELD, 52 - FIRST_FIELD, field + FIRST_FIELD) < 0)
		return -1;
	map.start_code = field[26];
	map.end_code = field[27];
	map.start_stack = field[28];
	map.start_data = field[45];
	map.end_data = field[46];
	map.start_brk = field[47];
	map.arg_start = field[48];
	map.arg_end = field[49];
	map.env_start = field[50];
	map.env_end = field[51];
	map.brk = (uintptr_t)sbrk(0);
	return prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
}

static int take_file(int file)
{
	const ElfW(Ehdr) *header = &__ehdr_start;
	const ElfW(Phdr) *segments = (const void *)getauxval(AT_PHDR);
	uintptr_t base = 0;
	bool found = false;

	for (size_t i = 0; segments && i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && !segments[i].p_offset) {
			base = (uintptr_t)header - segments[i].p_vaddr;
			found = true;
		}
	if (!found || !segments) {
		errno = ENOEXEC;
		return -1;
	}
	for (size_t i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD &&
		    map_again(&segments[i], base, file) < 0)
			return -1;
	for (size_t i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_GNU_RELRO &&
		    protect_relocated(&segments[i], base) < 0)
			return -1;
	return set_file(file);
}

/* Take the clone as the binary of this process, without executing it. */
static bool switch_to(int clone)
{
	autoclose int file = -1, now = -1;
	char name[64];

	snprintf(name, sizeof name, "/proc/self/fd/%d", clone);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0 || take_file(file) < 0)
		return false;
	now = open_own();
	return now >= 0 && is_protected(now);
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
	autoclose int exe = open_own(), safe = -1;
	struct arena arena;
	char **argv = NULL;
	int r;

	if (exe < 0)
		return fail(errno,
			    "open the runtime's own binary (/proc/self/exe)");
	if (is_protected(exe))
		return 0;
	safe = clone_read_only(exe);
	if (safe >= 0 && switch_to(safe))
		return 0;
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
