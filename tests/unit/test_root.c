/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_root.c - paths in hostile trees, compared with what the
 * kernel itself says about them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/auto.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"

#define LONGEST                                                            \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static char top[] = "/tmp/test_root.XXXXXX";
static int top_fd = -1, root = -1;

/* outside/sentinel must never be reached from root. */
static int make_tree(void **state)
{
	static const struct {
		const char *link, *target;
	} links[] = {
		{ "root/self", "." },
		{ "root/up", "../../../../../../.." },
		{ "root/abs", "/dir" },
		{ "root/out", "../outside" },
		{ "root/dangling", "made/below" },
		{ "root/dangling-abs", "/made-abs/below" },
		{ "root/dangling-up", "../../../made-up" },
		{ "root/dangling-out", "../outside/new" },
		{ "root/dangling-file", "../outside/file" },
		{ "root/missing-dotdot", "nosuch/../made-dotdot" },
		{ "root/chain", "chain2/x" },
		{ "root/chain2", "dir/chain3" },
		{ "root/dir/chain3", "../made-chain" },
		{ "root/loop", "loop2" },
		{ "root/loop2", "dir/../loop" },
		{ "root/loop-deep", "loop-deep/x" },
		{ "root/magic", "/proc/self/root" },
		{ "root/to-file", "file" },
		{ "root/slash", "dir///" },
	};

	(void)state;
	if (!mkdtemp(top))
		return -1;
	top_fd = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (top_fd < 0 || mkdirat(top_fd, "root", 0755) < 0 ||
	    mkdirat(top_fd, "outside", 0755) < 0 ||
	    mkdirat(top_fd, "root/dir", 0755) < 0 ||
	    mkdirat(top_fd, "root/dir/sub", 0755) < 0 ||
	    mknodat(top_fd, "root/file", S_IFREG | 0644, 0) < 0 ||
	    mkfifoat(top_fd, "root/fifo", 0644) < 0 ||
	    mknodat(top_fd, "outside/sentinel", S_IFREG | 0644, 0) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(links); i++)
		if (symlinkat(links[i].target, top_fd, links[i].link) < 0)
			return -1;
	root = openat(top_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -1 : 0;
}

static int remove_tree(void **state)
{
	char command[64];

	(void)state;
	closep(&root);
	closep(&top_fd);
	snprintf(command, sizeof command, "rm -rf %s", top);
	return system(command) == 0 ? 0 : -1;
}

static bool is_same(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* The kernel in a chroot: the other way to say "inside this root". */
static int chroot_errno(const char *path, struct stat *ret)
{
	int link[2], error = 0;
	pid_t pid;

	assert_int_equal(pipe(link), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (fchdir(root) < 0 || chroot(".") < 0 ||
		    stat(*path ? path : ".", ret) < 0)
			error = errno;
		(void)!write(link[1], &error, sizeof error);
		(void)!write(link[1], ret, sizeof *ret);
		_exit(0);
	}
	close(link[1]);
	assert_int_equal(read(link[0], &error, sizeof error), sizeof error);
	assert_int_equal(read(link[0], ret, sizeof *ret), sizeof *ret);
	close(link[0]);
	waitpid(pid, NULL, 0);
	return error;
}

static void open_is_what_a_chroot_sees(void **state)
{
	static const char *const paths[] = {
		"",
		".",
		"/",
		"..",
		"../..",
		"dir",
		"/dir",
		"//dir//sub",
		"dir/sub/../..",
		"dir/../../../dir",
		"self/self/dir",
		"up",
		"up/dir/sub",
		"up/up/up/file",
		"abs/sub",
		"out",
		"out/sentinel",
		"../outside/sentinel",
		"dangling",
		"dangling-out",
		"loop",
		"loop2/x",
		"loop-deep",
		"to-file",
		"to-file/x",
		"file/..",
		"file/",
		"slash/sub",
		"nosuch/..",
		"fifo",
		LONGEST,
		LONGEST "n",
		"dir/" LONGEST,
	};

	(void)state;
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
	for (size_t i = 0; i < COUNT(paths); i++) {
		autoclose int fd = root_open(root, paths[i], O_PATH);
		int error = fd < 0 ? errno : 0;
		struct stat want = { 0 }, got;

		if (error != chroot_errno(paths[i], &want))
			fail_msg("\"%s\": %s", paths[i], strerror(error));
		if (error)
			continue;
		assert_int_equal(fstat(fd, &got), 0);
		assert_int_equal(got.st_ino, want.st_ino);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
}

static void plain_takes_no_link(void **state)
{
	static const struct {
		const char *path;
		int error;
	} table[] = {
		{ "dir/sub", 0 },      { "/dir/../dir", 0 },
		{ "self/dir", ELOOP }, { "abs", ELOOP },
		{ "loop", ELOOP },     { "dangling", ELOOP },
		{ "nosuch", ENOENT },  { "file/x", ENOTDIR },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		autoclose int fd = root_open_plain(root, table[i].path, O_PATH);

		if ((fd < 0 ? errno : 0) != table[i].error)
			fail_msg("\"%s\": %s", table[i].path, strerror(errno));
	}
}

/* /proc/self/root and its kind lead out of every root. */
static void magic_links_are_refused(void **state)
{
	static const char *const paths[] = {
		"self/root", "self/root/etc",	 "self/cwd",	"self/exe",
		"self/fd/0", "thread-self/root", "self/ns/mnt",
	};
	autoclose int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_true(proc >= 0);
	for (size_t i = 0; i < COUNT(paths); i++) {
		assert_int_equal(root_open(proc, paths[i], O_PATH), -1);
		assert_int_equal(errno, ELOOP);
		assert_int_equal(root_make_dir(proc, paths[i], 0755, NULL), -1);
		assert_int_equal(root_make_file(proc, paths[i], NULL), -1);
	}
}

static void missing_ones_are_made_inside(void **state)
{
	static const struct {
		const char *path, *made; /* made: below root, by the kernel */
		bool created;
		int error;
	} table[] = {
		{ "dir", "dir", false, 0 },
		{ "abs/sub", "dir/sub", false, 0 },
		{ "new", "new", true, 0 },
		{ "new", "new", false, 0 },
		{ "/new2//a/./b/", "new2/a/b", true, 0 },
		{ "../../new3", "new3", true, 0 },
		{ "new4/../new5", "new5", true, 0 },
		{ "dangling", "made/below", true, 0 },
		{ "dangling-abs/x", "made-abs/below/x", true, 0 },
		{ "dangling-up", "made-up", true, 0 },
		{ "dangling-out/x", "outside/new/x", true, 0 },
		{ "missing-dotdot", "made-dotdot", true, 0 },
		{ "chain", "made-chain/x", true, 0 },
		{ "self/up/abs/new", "dir/new", true, 0 },
		{ LONGEST "/" LONGEST, LONGEST "/" LONGEST, true, 0 },
		{ "loop", NULL, false, ELOOP },
		{ "loop/x", NULL, false, ELOOP },
		{ "loop-deep", NULL, false, ELOOP },
		{ "file", NULL, false, ENOTDIR },
		{ "to-file/x", NULL, false, ENOTDIR },
		{ "dir/" LONGEST "n", NULL, false, ENAMETOOLONG },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		bool created = false;
		autoclose int fd =
			root_make_dir(root, table[i].path, 0750, &created);
		autoclose int seen = -1;

		if ((fd < 0 ? errno : 0) != table[i].error)
			fail_msg("\"%s\": %s", table[i].path, strerror(errno));
		assert_int_equal(created, table[i].created);
		if (!table[i].made)
			continue;
		seen = openat(root, table[i].made, O_PATH | O_NOFOLLOW);
		assert_true(is_same(fd, seen));
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
}

static void files_are_made_empty(void **state)
{
	struct stat st;
	bool created = false;
	autoclose int fd = root_make_file(root, "f/g/h", &created);
	autoclose int again = root_make_file(root, "f/g/h", NULL);
	autoclose int fifo = root_make_file(root, "fifo", NULL);
	autoclose int dir = root_make_file(root, "dir", NULL);
	autoclose int link = root_make_file(root, "dangling-file", NULL);
	autoclose int seen = openat(root, "outside/file", O_PATH);

	(void)state;
	assert_int_equal(faccessat(top_fd, "outside/file", F_OK, 0), -1);
	assert_true(is_same(link, seen));
	assert_true(fd >= 0 && created);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISREG(st.st_mode) && st.st_size == 0);
	assert_true(is_same(fd, again));
	assert_true(fifo >= 0 && dir >= 0);
}

static void paths_may_be_as_deep_as_the_kernel_allows(void **state)
{
	char path[PATH_MAX + 2] = "";
	size_t n = 0;

	(void)state;
	while (n + 3 < PATH_MAX) {
		path[n++] = '/';
		path[n++] = 'd';
	}
	path[n] = '\0';
	autoclose int fd = root_make_dir(root, path, 0755, NULL);
	autoclose int seen = openat(root, path + 1, O_PATH);

	assert_true(fd >= 0);
	assert_true(is_same(fd, seen));
	while (n <= PATH_MAX)
		path[n++] = 'd';
	path[n] = '\0';
	assert_int_equal(root_make_dir(root, path, 0755, NULL), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

static void parent_is_made_and_the_name_cut(void **state)
{
	static const struct {
		const char *path, *name;
		int error;
	} table[] = {
		{ "/p/q/node", "node", 0 },
		{ "node", "node", 0 },
		{ "/node///", "node", 0 },
		{ "abs/node", "node", 0 },
		{ "/p/..", NULL, EINVAL },
		{ "/", NULL, EINVAL },
		{ "", NULL, EINVAL },
		{ "/p/.", NULL, EINVAL },
		{ "file/x", NULL, ENOTDIR },
		{ LONGEST "n", NULL, ENAMETOOLONG },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char name[NAME_MAX + 1] = "";
		autoclose int fd = root_make_parent(root, table[i].path, name);

		assert_int_equal(fd < 0 ? errno : 0, table[i].error);
		if (table[i].name)
			assert_string_equal(name, table[i].name);
	}
}

/* So many calls of openat2 find that something was renamed meanwhile. */
static int vain;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e);

long __wrap_syscall(long number, long a, long b, long c, long d, long e)
{
	if (number == SYS_openat2 && vain > 0) {
		vain--;
		errno = EAGAIN;
		return -1;
	}
	return __real_syscall(number, a, b, c, d, e);
}

/* Renames by other processes delay a lookup, and fail it only in the end. */
static void renames_elsewhere_fail_no_path(void **state)
{
	(void)state;
	vain = 1000;
	autoclose int opened = root_open(root, "dir/../dir", O_PATH);

	assert_true(opened >= 0);
	vain = 1000;
	autoclose int made = root_make_dir(root, "vain/../vain/x", 0755, NULL);

	assert_true(made >= 0);
	vain = INT_MAX;
	assert_int_equal(root_make_dir(root, "never", 0755, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	vain = 0;
}

static atomic_bool racing;

/* race/a is a directory, a link out, a link back, a directory, … */
static void *swap_names(void *arg)
{
	(void)arg;
	while (atomic_load(&racing))
		(void)syscall(SYS_renameat2, root, "race/a", root, "race/b",
			      2 /* RENAME_EXCHANGE */);
	return NULL;
}

/* race/a leads out every other moment; nothing is ever made outside. */
static void a_race_stays_inside(void **state)
{
	pthread_t racer;
	struct stat before, after;

	(void)state;
	assert_int_equal(mkdirat(root, "race", 0755), 0);
	assert_int_equal(mkdirat(root, "race/a", 0755), 0);
	assert_int_equal(symlinkat("../../outside", root, "race/b"), 0);
	assert_int_equal(fstatat(top_fd, "outside", &before, 0), 0);
	atomic_store(&racing, true);
	assert_int_equal(pthread_create(&racer, NULL, swap_names, NULL), 0);
	for (int i = 0; i < 3000; i++) {
		char path[64];

		snprintf(path, sizeof path, "race/a/%d/x", i);
		autoclose int made = root_make_dir(root, path, 0755, NULL);

		/* Made inside, or refused; never at the other end of a link. */
		assert_true(made >= -1);

		autoclose int sentinel =
			root_open(root, "race/a/sentinel", O_PATH);

		assert_int_equal(sentinel, -1);
	}
	atomic_store(&racing, false);
	pthread_join(racer, NULL);
	assert_int_equal(fstatat(top_fd, "outside", &after, 0), 0);
	assert_int_equal(before.st_nlink, after.st_nlink);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_is_what_a_chroot_sees),
		cmocka_unit_test(plain_takes_no_link),
		cmocka_unit_test(magic_links_are_refused),
		cmocka_unit_test(missing_ones_are_made_inside),
		cmocka_unit_test(files_are_made_empty),
		cmocka_unit_test(paths_may_be_as_deep_as_the_kernel_allows),
		cmocka_unit_test(parent_is_made_and_the_name_cut),
		cmocka_unit_test(renames_elsewhere_fail_no_path),
		cmocka_unit_test(a_race_stays_inside),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
