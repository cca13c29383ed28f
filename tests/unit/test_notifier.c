/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_notifier.c - answers to system calls of a child with the filter. */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/loop.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/confine.h"
#include "control/client.h"
#include "control/sandbox.h"
#include "oci/oci.h"
#include "runtime/supervisor/notifier.h"

#include <cmocka.h>

#include "tests/unit/emulator.h"

static struct arena arena;
static struct loop loop;
static struct notifier notifier;
static int calls, pid_fd;
static char seen[64];

static int setup(void **state)
{
	(void)state;
	loop = (struct loop)LOOP_NONE;
	calls = 0;
	seen[0] = '\0';
	notifier = (struct notifier){ .loop = NULL };
	return arena_open(&arena, 16 << 20);
}

static int teardown(void **state)
{
	(void)state;
	notifier_close(&notifier);
	arena_close(&arena);
	return 0;
}

static void open_notifier(void)
{
	skip_in_emulator();
	assert_int_equal(notifier_open(&arena, &loop, &notifier), 0);
}

/* ---- handlers ---- */

static struct notifier_answer say_42(void *ctx,
				     const struct notifier_call *call)
{
	(void)ctx;
	(void)call;
	calls++;
	return notifier_value(42);
}

static struct notifier_answer deny(void *ctx, const struct notifier_call *call)
{
	int *error = ctx;

	(void)call;
	return notifier_error(*error);
}

/* mkdir: what the path is, without making it. */
static struct notifier_answer take_path(void *ctx,
					const struct notifier_call *call)
{
	int r = notifier_read_text(call, call->args[0], seen, sizeof seen);

	(void)ctx;
	return r < 0 ? notifier_error(r) : notifier_value(0);
}

/* epoll_create1: a descriptor of ours with this text. */
static struct notifier_answer give_file(void *ctx,
					const struct notifier_call *call)
{
	int pair[2];

	(void)ctx;
	(void)call;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return notifier_error(errno);
	assert_int_equal(write(pair[1], "from outside", 12), 12);
	close(pair[1]);
	return notifier_install(pair[0], /* cloexec= */ true);
}

/* fsync: act on a copy of the caller's descriptor. */
static struct notifier_answer write_there(void *ctx,
					  const struct notifier_call *call)
{
	int fd = notifier_fd(call, (int)call->args[0]);

	(void)ctx;
	if (fd < 0)
		return notifier_error(fd);
	assert_int_equal(write(fd, "copy", 4), 4);
	close(fd);
	return notifier_value(0);
}

static struct notifier_answer go_on(void *ctx, const struct notifier_call *call)
{
	(void)ctx;
	calls++;
	return notifier_kernel_makes_call_without_pointers(call, "a test");
}

/* While the caller waits, a signal arrives. */
static struct notifier_answer slow(void *ctx, const struct notifier_call *call)
{
	(void)ctx;
	calls++;
	(void)kill(call->tid, SIGUSR1);
	usleep(20000);
	return notifier_value(7);
}

/* ---- the caller ---- */

static int install(const struct confine_filter *filter)
{
	struct sock_fprog program = {
		.len = (unsigned short)filter->len,
		.filter = filter->code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    filter->flags | SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

static int ended(void *ctx, short revents)
{
	int *status = ctx;
	siginfo_t info = { .si_pid = 0 };

	(void)revents;
	assert_int_equal(waitid(P_PIDFD, (id_t)pid_fd, &info, WEXITED), 0);
	*status = info.si_code == CLD_EXITED ? info.si_status :
					       128 + info.si_status;
	loop_end(&loop, 0);
	return 0;
}

/* Run the loop until the process ends; return its status. */
static int serve(pid_t pid)
{
	int status = -1, source;

	pid_fd = sys_pidfd_open(pid);
	source = loop_add(&loop, pid_fd, POLLIN, ended, &status);
	assert_true(source >= 0);
	assert_int_equal(loop_run(&loop), 0);
	loop_remove(&loop, source);
	close(pid_fd);
	return status;
}

/* Run a function with the filter; its result is the exit status. */
static int run(int (*child)(void))
{
	struct confine_filter filter;
	int pair[2], listener = -1;
	char byte = 0;
	size_t nfds;
	pid_t pid;

	assert_int_equal(notifier_filter(&arena, &notifier, &filter), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    pair),
			 0);
	pid = fork();
	if (pid == 0) {
		listener = install(&filter);
		if (listener < 0 ||
		    io_send_fds(pair[1], &byte, 1, &listener, 1) < 0)
			_exit(121);
		close(listener);
		_exit(child());
	}
	close(pair[1]);
	assert_int_equal(io_receive_fds(pair[0], &byte, 1, &listener, 1, &nfds),
			 1);
	assert_int_equal(nfds, 1);

	close(pair[0]);
	assert_int_equal(notifier_listen(&notifier, listener), 0);
	return serve(pid);
}

static int ask_group(void)
{
	return (int)syscall(SYS_getpgid, 0);
}

static void a_handler_gives_the_result(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, say_42, NULL),
			 0);
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, say_42, NULL),
			 -EEXIST);
	assert_int_equal(run(ask_group), 42);
	assert_int_equal(calls, 1);
}

static int make_directory(void)
{
	return syscall(SYS_mkdirat, AT_FDCWD, "/nonexistent/x", 0700) < 0 ?
		       errno :
		       0;
}

static void a_handler_gives_an_error(void **state)
{
	static int error = EXDEV, negative = -EMLINK;

	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_mkdirat, deny, &error),
			 0);
	assert_int_equal(run(make_directory), EXDEV);
	notifier.nhandlers = 0;
	assert_int_equal(notifier_handle(&notifier, SYS_mkdirat, deny,
					 &negative),
			 0);
	assert_int_equal(run(make_directory), EMLINK);
}

static int name_a_path(void)
{
	return syscall(SYS_chdir, "/some/path") < 0 ? errno : 0;
}

static int name_nothing(void)
{
	return syscall(SYS_chdir, (char *)8) < 0 ? errno : 0;
}

static int name_too_much(void)
{
	char path[200];

	memset(path, 'x', sizeof path);
	path[sizeof path - 1] = '\0';
	return syscall(SYS_chdir, path) < 0 ? errno : 0;
}

static void a_handler_reads_a_copy_of_memory(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_chdir, take_path, NULL),
			 0);
	assert_int_equal(run(name_a_path), 0);
	assert_string_equal(seen, "/some/path");
	assert_int_equal(run(name_nothing), EFAULT);
	assert_int_equal(run(name_too_much), ENAMETOOLONG);
}

static int read_given(void)
{
	char text[16] = "";
	int fd = (int)syscall(SYS_epoll_create1, 0);

	if (fd < 0 || read(fd, text, sizeof text) != 12)
		return 1;
	return fcntl(fd, F_GETFD) == FD_CLOEXEC && streq(text, "from outside") ?
		       0 :
		       2;
}

static void a_handler_installs_a_descriptor(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_epoll_create1,
					 give_file, NULL),
			 0);
	assert_int_equal(run(read_given), 0);
}

static int have_it_written(void)
{
	char text[8] = "";
	int pair[2];

	if (pipe(pair) < 0 || syscall(SYS_fsync, pair[1]) < 0)
		return 1;
	if (read(pair[0], text, sizeof text) != 4 || !streq(text, "copy"))
		return 2;
	return syscall(SYS_fsync, 999) < 0 && errno == EBADF ? 0 : 3;
}

static void a_handler_acts_on_a_copy_of_a_descriptor(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_fsync, write_there,
					 NULL),
			 0);
	assert_int_equal(run(have_it_written), 0);
}

static int compare_groups(void)
{
	return syscall(SYS_getpgid, 0) == syscall(SYS_getpgid, getpid()) ? 0 :
									   1;
}

static void the_kernel_makes_only_calls_without_pointers(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, go_on, NULL),
			 0);
	assert_int_equal(notifier_handle(&notifier, SYS_chdir, go_on, NULL), 0);
	assert_int_equal(run(compare_groups), 0);
	assert_int_equal(calls, 2);
	/* A path could change after it was judged. */
	assert_int_equal(run(name_a_path), EPERM);
}

static void ignore(int sig)
{
	(void)sig;
}

static int ask_slowly(void)
{
	const struct sigaction action = { .sa_handler = ignore,
					  .sa_flags = SA_RESTART };

	if (sigaction(SIGUSR1, &action, NULL) < 0)
		return 1;
	return (int)syscall(SYS_getpgid, 0);
}

static void a_signal_does_not_repeat_a_call(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, slow, NULL),
			 0);
	assert_int_equal(run(ask_slowly), 7);
	assert_int_equal(calls, 1);
}

static int add_another(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct confine_filter filter = { .code = &allow, .len = 1 };

	return install(&filter) < 0 ? errno : 0;
}

static void one_listener_only(void **state)
{
	const struct oci_seccomp own = { .listener_path = "/run/agent" };

	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, say_42, NULL),
			 0);
	assert_int_equal(run(add_another), EBUSY);
	assert_int_equal(notifier_check(NULL, "x"), 0);
	assert_true(notifier_check(&own, "limits.forks") < 0);
	assert_non_null(strstr(err_text(), "limits.forks requires"));
	assert_non_null(strstr(err_text(), "/run/agent"));
}

static void only_listeners_are_served(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	open_notifier();
	assert_int_equal(notifier_listen(&notifier, fd), -EINVAL);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* The place of a listener is free again when its processes have ended. */
static void ended_listeners_are_closed(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, say_42, NULL),
			 0);
	for (int i = 0; i < 2 * NOTIFIER_LISTENERS; i++)
		assert_int_equal(run(ask_group), 42);
	assert_int_equal(loop_turn(&loop, 0), 0);
	for (size_t i = 0; i < NOTIFIER_LISTENERS; i++)
		assert_int_equal(notifier.listeners[i].fd, -1);
}

/* ---- over the control socket, as exec does it ---- */

static int take_listener(void *listens, int listener)
{
	return notifier_listen(listens, listener);
}

/* In a child: install the filter, and send the listener, or stdin, there. */
static int bring(int dir, const struct confine_filter *filter, bool right)
{
	struct control_link link = CONTROL_LINK_NONE;
	int listener = install(filter);
	int r = listener < 0 ? -errno : control_connect(&arena, dir, &link);

	if (r >= 0)
		r = control_give(&arena, &link, "listener",
				 right ? listener : 0);
	if (r < 0)
		return strstr(err_text(), "is no seccomp listener")   ? 101 :
		       strstr(err_text(), "needs a seccomp listener") ? 102 :
									103;
	close(listener);
	return ask_group();
}

static int run_over_control(bool serves, bool right)
{
	struct control_sandbox control = CONTROL_SANDBOX_NONE;
	char folder[] = "/tmp/test_notifier.XXXXXX";
	struct confine_filter filter;
	int dir, status;
	pid_t pid;

	assert_non_null(mkdtemp(folder));
	dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(notifier_filter(&arena, &notifier, &filter), 0);
	control.id = "web1";
	control.listen = serves ? take_listener : NULL;
	control.listens = &notifier;
	assert_int_equal(control_sandbox_open(&control, &loop, dir, geteuid()),
			 0);
	pid = fork();
	if (pid == 0)
		_exit(bring(dir, &filter, right));
	status = serve(pid);
	control_sandbox_close(&control);
	close(dir);
	assert_int_equal(rmdir(folder), 0);
	return status;
}

static void a_process_brings_its_listener_over_the_control_socket(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, say_42, NULL),
			 0);
	/* The first one, as of init, and others, as of exec. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(run_over_control(true, true), 42);
	assert_int_equal(calls, 3);
	assert_int_equal(run(ask_group), 42);
}

static void what_is_no_listener_is_refused_by_name(void **state)
{
	(void)state;
	open_notifier();
	assert_int_equal(notifier_handle(&notifier, SYS_getpgid, say_42, NULL),
			 0);
	assert_int_equal(run_over_control(true, false), 101);
	assert_int_equal(run_over_control(false, true), 102);
	assert_int_equal(calls, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_handler_gives_the_result),
		TEST(a_handler_gives_an_error),
		TEST(a_handler_reads_a_copy_of_memory),
		TEST(a_handler_installs_a_descriptor),
		TEST(a_handler_acts_on_a_copy_of_a_descriptor),
		TEST(the_kernel_makes_only_calls_without_pointers),
		TEST(a_signal_does_not_repeat_a_call),
		TEST(one_listener_only),
		TEST(only_listeners_are_served),
		TEST(ended_listeners_are_closed),
		TEST(a_process_brings_its_listener_over_the_control_socket),
		TEST(what_is_no_listener_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
