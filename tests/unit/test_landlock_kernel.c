/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_landlock_kernel.c - every right of Landlock: refused without
 * it, granted with it, and the same without Landlock.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/util.h"
#include "confine/landlock.h"

#include <cmocka.h> /* late: its fail() is a macro */

#define FS(right) LANDLOCK_ACCESS_FS_##right
#define RX (LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE)
#define RW (LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE)
#define ALL_RIGHTS 0x3f

/* What a program needs that is not below the place under test. */
static const char *const system_paths[] = { "/usr", "/lib", "/lib64", "/bin" };

struct world {
	struct arena arena;
	struct landlock_host landlock;
	int abi;
	char place[64]; /* a fresh one for each try */
	int listener;	/* on place/a/socket */
};

/* ---- the place ---- */

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_place(struct world *world)
{
	closep(&world->listener);
	if (world->place[0])
		(void)nftw(world->place, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	world->place[0] = '\0';
}

static void copy_program(int dir)
{
	autoclose int from = open("/bin/true", O_RDONLY | O_CLOEXEC);
	autoclose int to =
		openat(dir, "a/program", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	struct stat st;

	assert_true(from >= 0 && to >= 0 && fstat(from, &st) == 0);
	assert_int_equal(sendfile(to, from, NULL, (size_t)st.st_size),
			 st.st_size);
}

static void listen_in(struct world *world)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof address.sun_path, "%s/a/socket",
		 world->place);
	world->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(world->listener >= 0);
	assert_int_equal(bind(world->listener, (struct sockaddr *)&address,
			      sizeof address),
			 0);
	assert_int_equal(listen(world->listener, 8), 0);
}

static void make_place(struct world *world)
{
	autoclose int dir = -1;
	autoclose int file = -1;

	remove_place(world);
	strcpy(world->place, "/tmp/landlock.XXXXXX");
	assert_non_null(mkdtemp(world->place));
	dir = open(world->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	assert_int_equal(mkdirat(dir, "a", 0755), 0);
	assert_int_equal(mkdirat(dir, "a/empty", 0755), 0);
	assert_int_equal(mkdirat(dir, "b", 0755), 0);
	file = openat(dir, "a/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(file, "text", 4), 4);
	copy_program(dir);
	listen_in(world);
}

/* ---- what is tried: in a child, inside of the place; 0 or errno ---- */

static int result(int r)
{
	return r < 0 ? errno : 0;
}

#define TRY(name, call)              \
	static int try_##name(void)  \
	{                            \
		return result(call); \
	}

TRY(execute, execl("a/program", "program", NULL))
TRY(write, open("a/file", O_WRONLY | O_CLOEXEC))
TRY(read, open("a/file", O_RDONLY | O_CLOEXEC))
TRY(readdir, open("a", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
TRY(rmdir, rmdir("a/empty"))
TRY(unlink, unlink("a/file"))
TRY(char, mknod("a/new", S_IFCHR | 0600, makedev(1, 3)))
TRY(mkdir, mkdir("a/new", 0700))
TRY(reg, mknod("a/new", S_IFREG | 0600, 0))
TRY(sock, mknod("a/new", S_IFSOCK | 0600, 0))
TRY(fifo, mkfifo("a/new", 0600))
TRY(block, mknod("a/new", S_IFBLK | 0600, makedev(7, 0)))
TRY(symlink, symlink("file", "a/new"))
TRY(move, rename("a/file", "b/file"))
TRY(truncate, truncate("a/file", 1))

/* The device has no such thing, and is asked all the same. */
static int try_ioctl(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	char attributes[256];

	if (fd < 0)
		return ENODEV;
	return ioctl(fd, TCGETS, attributes) < 0 && errno != ENOTTY ? errno : 0;
}

static int try_connect(void)
{
	struct sockaddr_un address = { AF_UNIX, "a/socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return result(connect(fd, (struct sockaddr *)&address, sizeof address));
}

enum operation {
	EXECUTE,
	WRITE,
	READ,
	READDIR,
	RMDIR,
	UNLINK,
	CHAR,
	MKDIR,
	REG,
	SOCK,
	FIFO,
	BLOCK,
	SYMLINK,
	MOVE,
	TRUNCATE,
	IOCTL,
	CONNECT,
	OPERATIONS,
};

static const struct {
	const char *name;
	uint64_t access;
	int abi;
	int refusal;
	int (*try)(void);
} operations[OPERATIONS] = {
	[EXECUTE] = { "execute", FS(EXECUTE), 1, EACCES, try_execute },
	[WRITE] = { "write", FS(WRITE_FILE), 1, EACCES, try_write },
	[READ] = { "read", FS(READ_FILE), 1, EACCES, try_read },
	[READDIR] = { "readdir", FS(READ_DIR), 1, EACCES, try_readdir },
	[RMDIR] = { "rmdir", FS(REMOVE_DIR), 1, EACCES, try_rmdir },
	[UNLINK] = { "unlink", FS(REMOVE_FILE), 1, EACCES, try_unlink },
	[CHAR] = { "char", FS(MAKE_CHAR), 1, EACCES, try_char },
	[MKDIR] = { "mkdir", FS(MAKE_DIR), 1, EACCES, try_mkdir },
	[REG] = { "reg", FS(MAKE_REG), 1, EACCES, try_reg },
	[SOCK] = { "sock", FS(MAKE_SOCK), 1, EACCES, try_sock },
	[FIFO] = { "fifo", FS(MAKE_FIFO), 1, EACCES, try_fifo },
	[BLOCK] = { "block", FS(MAKE_BLOCK), 1, EACCES, try_block },
	[SYMLINK] = { "symlink", FS(MAKE_SYM), 1, EACCES, try_symlink },
	[MOVE] = { "move", FS(REFER), 2, EXDEV, try_move },
	[TRUNCATE] = { "truncate", FS(TRUNCATE), 3, EACCES, try_truncate },
	[IOCTL] = { "ioctl", FS(IOCTL_DEV), 5, EACCES, try_ioctl },
	[CONNECT] = { "connect", FS(RESOLVE_UNIX), 9, EACCES, try_connect },
};

/* For users other than root, a later check refuses a device, too. */
static bool is_granted(enum operation which, int error)
{
	return error == 0 ||
	       (error == EPERM && (which == CHAR || which == BLOCK));
}

/* ---- applying ---- */

static struct landlock_plan
make_plan(struct world *world, const struct landlock_path *paths, size_t n)
{
	struct landlock_want want = {
		.files = true,
		.paths = paths,
		.npaths = n,
		.unix_sockets = true,
		.allow_degraded = UINT32_MAX,
	};
	struct landlock_plan plan;

	assert_int_equal(landlock_plan(&world->arena, &world->landlock, &want,
				       &plan),
			 0);
	return plan;
}

/* In a child: 0, or where it went wrong. */
static int apply(const struct landlock_plan *plan)
{
	int ruleset = landlock_create(&plan->handled);

	if (ruleset < 0)
		return 1;
	for (size_t i = 0; i < plan->nrules; i++) {
		int fd = open(plan->rules[i].path, O_PATH | O_CLOEXEC);

		if (fd < 0 && errno == ENOENT)
			continue;
		if (landlock_allow(ruleset, fd, &plan->rules[i].access) < 0)
			return 2;
		close(fd);
	}
	if (landlock_allow_ports(ruleset, plan->ports, plan->nports) < 0)
		return 3;
	return landlock_restrict(ruleset, plan->flags) < 0 ? 4 : 0;
}

/* What one operation gives under a plan, or without one: 0 or errno. */
static int attempt(struct world *world, const struct landlock_plan *plan,
		   int (*try)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (chdir(world->place) < 0 || (plan && apply(plan)))
			_exit(255);
		_exit(try());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 255);
	return WEXITSTATUS(status);
}

/* Rights for the place (and its one device elsewhere), and a system. */
static struct landlock_plan allow(struct world *world, uint32_t rights)
{
	struct landlock_path paths[2 + COUNT(system_paths)] = {
		{ .path = world->place, .rights = rights },
		{ .path = "/dev/null",
		  .rights = RW | (rights & LANDLOCK_MAY_IOCTL) },
	};

	for (size_t i = 0; i < COUNT(system_paths); i++)
		paths[2 + i] = (struct landlock_path){ .path = system_paths[i],
						       .rights = RX };
	return make_plan(world, paths, COUNT(paths));
}

/* ---- tests ---- */

static int open_world(void **state)
{
	struct world *world = calloc(1, sizeof *world);

	*state = world;
	if (!world)
		return -1;
	world->listener = -1;
	world->landlock = landlock_probe();
	world->abi = world->landlock.abi;
	return arena_open(&world->arena, 4 << 20);
}

static int close_world(void **state)
{
	struct world *world = *state;

	remove_place(world);
	arena_close(&world->arena);
	free(world);
	return 0;
}

static void skip_below(const struct world *world, int abi)
{
	if (world->abi < abi) {
		print_message("needs version %d of Landlock\n", abi);
		skip();
	}
}

/* All rights but one, which the operation needs. */
static void check_right(struct world *world, enum operation which)
{
	int (*try)(void) = operations[which].try;
	uint64_t without = ~operations[which].access;
	struct landlock_rule rules[2 + COUNT(system_paths)];
	struct landlock_plan plan;
	int outside;

	print_message("%s\n", operations[which].name);
	make_place(world);
	outside = attempt(world, NULL, try);
	assert_true(is_granted(which, outside));
	make_place(world);
	plan = allow(world, ALL_RIGHTS);
	assert_int_equal(attempt(world, &plan, try), outside);
	make_place(world);
	plan = allow(world, ALL_RIGHTS);
	memcpy(rules, plan.rules, sizeof rules);
	for (size_t i = 0; i < 2; i++) {
		rules[i].access.directory &= without;
		rules[i].access.other &= without;
	}
	plan.rules = rules;
	assert_int_equal(attempt(world, &plan, try), operations[which].refusal);
}

static void each_right_is_needed_and_enough(void **state)
{
	struct world *world = *state;

	skip_below(world, 1);
	for (int i = 0; i < OPERATIONS; i++)
		if (world->abi >= operations[i].abi)
			check_right(world, (enum operation)i);
}

#define OP(operation) (1U << (operation))

/* Rights as a policy gives them. */
static const struct {
	uint32_t rights;
	uint32_t granted;
} grants[] = {
	{ 0, 0 },
	{ LANDLOCK_MAY_READ, OP(READ) | OP(READDIR) },
	{ LANDLOCK_MAY_WRITE, OP(WRITE) | OP(RMDIR) | OP(UNLINK) | OP(MKDIR) |
				      OP(REG) | OP(SOCK) | OP(FIFO) |
				      OP(SYMLINK) | OP(MOVE) | OP(TRUNCATE) },
	{ LANDLOCK_MAY_EXECUTE, 0 },
	{ RX, OP(READ) | OP(READDIR) | OP(EXECUTE) },
	{ LANDLOCK_MAY_IOCTL, OP(IOCTL) },
	{ LANDLOCK_MAY_MKNOD, OP(CHAR) | OP(BLOCK) },
	{ LANDLOCK_MAY_CONNECT, OP(CONNECT) },
};

static void check_grant(struct world *world, uint32_t rights,
			enum operation which, bool granted)
{
	struct landlock_plan plan;
	int error;

	if (world->abi < operations[which].abi)
		return;
	make_place(world);
	plan = allow(world, rights);
	error = attempt(world, &plan, operations[which].try);
	if (granted != is_granted(which, error))
		print_error("%#x: %s: %d\n", rights, operations[which].name,
			    error);
	assert_int_equal(is_granted(which, error), granted);
	assert_true(granted || error == EACCES || error == EXDEV);
}

static void rights_grant_what_they_say(void **state)
{
	skip_below(*state, 3);
	for (size_t i = 0; i < COUNT(grants); i++)
		for (int j = 0; j < OPERATIONS; j++)
			check_grant(*state, grants[i].rights, (enum operation)j,
				    grants[i].granted & OP(j));
}

/* A file has the rights of its own rule, and its neighbours have not. */
static void a_rule_may_be_for_one_file(void **state)
{
	struct world *world = *state;
	struct landlock_path path;
	struct landlock_plan plan;
	char file[96];

	skip_below(world, 3);
	make_place(world);
	snprintf(file, sizeof file, "%s/a/file", world->place);
	path = (struct landlock_path){ .path = file, .rights = ALL_RIGHTS };
	plan = make_plan(world, &path, 1);
	assert_int_equal(attempt(world, &plan, try_read), 0);
	assert_int_equal(attempt(world, &plan, try_write), 0);
	assert_int_equal(attempt(world, &plan, try_truncate), 0);
	assert_int_equal(attempt(world, &plan, try_readdir), EACCES);
	assert_int_equal(attempt(world, &plan, try_unlink), EACCES);
	assert_int_equal(attempt(world, &plan, try_execute), EACCES);
	/* A right of directories only is none. */
	path.rights = LANDLOCK_MAY_MKNOD;
	plan = make_plan(world, &path, 1);
	assert_int_equal(attempt(world, &plan, try_read), EACCES);
}

static int ask_privileges(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

static void there_are_no_new_privileges(void **state)
{
	struct world *world = *state;
	struct landlock_plan plan;

	skip_below(world, 1);
	make_place(world);
	plan = allow(world, RX);
	assert_int_equal(attempt(world, NULL, ask_privileges), 0);
	assert_int_equal(attempt(world, &plan, ask_privileges), 1);
}

/* ---- beside files ---- */

static int try_signal(void)
{
	return result(kill(getppid(), 0));
}

static struct sockaddr_un abstract_address(pid_t owner)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
		 "landlock-test-%d", owner);
	return address;
}

static int try_abstract(void)
{
	struct sockaddr_un address = abstract_address(getppid());
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return result(connect(fd, (struct sockaddr *)&address, sizeof address));
}

static int listen_abstract(void)
{
	struct sockaddr_un address = abstract_address(getpid());
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address),
			 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

static void scopes_end_at_the_sandbox(void **state)
{
	struct world *world = *state;
	autoclose int listener = -1;

	skip_below(world, 6);
	listener = listen_abstract();
	make_place(world);
	assert_int_equal(attempt(world, NULL, try_signal), 0);
	assert_int_equal(attempt(world, NULL, try_abstract), 0);
	for (unsigned int bits = 1; bits < 4; bits++) {
		struct landlock_want want = {
			.signals = bits & 1,
			.abstract_sockets = bits & 2,
		};
		struct landlock_plan plan;

		assert_int_equal(landlock_plan(&world->arena, &world->landlock,
					       &want, &plan),
				 0);
		assert_int_equal(attempt(world, &plan, try_signal),
				 want.signals ? EPERM : 0);
		assert_int_equal(attempt(world, &plan, try_abstract),
				 want.abstract_sockets ? EPERM : 0);
		assert_int_equal(attempt(world, &plan, try_move), 0);
		make_place(world);
	}
}

/* In the child, too: no argument is handed on. */
static struct sockaddr_in server = { .sin_family = AF_INET };

static int try_tcp_connect(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return result(connect(fd, (struct sockaddr *)&server, sizeof server));
}

static int try_tcp_bind(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return result(bind(fd, (struct sockaddr *)&any, sizeof any));
}

static int listen_tcp(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof server;

	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&server, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&server, &len), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

static void tcp_ports_are_those_listed(void **state)
{
	struct world *world = *state;
	autoclose int listener = -1;
	uint16_t port;

	skip_below(world, 4);
	listener = listen_tcp();
	port = ntohs(server.sin_port);
	make_place(world);
	assert_int_equal(attempt(world, NULL, try_tcp_connect), 0);
	assert_int_equal(attempt(world, NULL, try_tcp_bind), 0);
	for (unsigned int bits = 0; bits < 16; bits++) {
		struct landlock_ports connect = { port, port };
		struct landlock_ports bind = { 0, 0 };
		struct landlock_want want = {
			.connects = bits & 1,
			.binds = bits & 2,
			.connect = &connect,
			.nconnect = !!(bits & 4),
			.bind = &bind,
			.nbind = !!(bits & 8),
		};
		struct landlock_plan plan;

		assert_int_equal(landlock_plan(&world->arena, &world->landlock,
					       &want, &plan),
				 0);
		if (!plan.needed)
			continue;
		assert_int_equal(attempt(world, &plan, try_tcp_connect),
				 want.connects && !want.nconnect ? EACCES : 0);
		assert_int_equal(attempt(world, &plan, try_tcp_bind),
				 want.binds && !want.nbind ? EACCES : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_right_is_needed_and_enough),
		cmocka_unit_test(rights_grant_what_they_say),
		cmocka_unit_test(a_rule_may_be_for_one_file),
		cmocka_unit_test(there_are_no_new_privileges),
		cmocka_unit_test(scopes_end_at_the_sandbox),
		cmocka_unit_test(tcp_ports_are_those_listed),
	};

	return cmocka_run_group_tests(tests, open_world, close_world);
}
