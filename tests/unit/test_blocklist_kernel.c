/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_blocklist_kernel.c - the blocklist where it holds: in the
 * kernel, alone and with linux.seccomp on top.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <time.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/confine.h"
#include "tests/unit/arena_state.h"

#include <cmocka.h> /* late: its fail() is a macro */

#include "tests/unit/filter_kernel.h"

#define GARBAGE 0xdeadbeef00000000ULL

#define NAMES(...)                                               \
	{                                                        \
		(const char *[]){ __VA_ARGS__, NULL },           \
			COUNT(((const char *[]){ __VA_ARGS__ })) \
	}

static const struct confine_blocklist plain = {
	.inet = true,
	.udp = true,
	.icmp = true,
};

static struct confine_filter build(void **state,
				   const struct confine_blocklist *list)
{
	struct confine_filter filter;

	assert_int_equal(confine_blocklist(*state, 0, list, &filter), 0);
	return filter;
}

static double microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool is_refused(long result, int error)
{
	return result == -1 && errno == error;
}

/* Each of these does nothing, or nothing bad, if it is let through. */
static int try_calls(const struct confine_filter *filter)
{
	if (install(filter))
		return 1;
	if (!is_refused(syscall(SYS_unshare, 0), EPERM) ||
	    !is_refused(syscall(SYS_clone3, NULL, 0), ENOSYS) ||
	    !is_refused(syscall(SYS_clone, CLONE_NEWUTS, 0, 0, 0, 0), EPERM))
		return 2;
	if (!is_refused(ioctl(-1, TIOCSTI, ""), EPERM) ||
	    !is_refused(syscall(SYS_ioctl, -1, GARBAGE | TIOCLINUX, 0),
			EPERM) ||
	    !is_refused(ioctl(-1, TCGETS, NULL), EBADF))
		return 3;
	if (!is_refused(socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP), EPERM) ||
	    !is_refused(socket(AF_VSOCK, SOCK_STREAM, 0), EPERM) ||
	    !is_refused(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), EPERM) ||
	    !is_refused(socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT), EPERM))
		return 4;
	if (socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE) < 0 ||
	    socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0) < 0)
		return 5;
	if (syscall(SYS_personality, GARBAGE | 0xffffffff) < 0 ||
	    !is_refused(syscall(SYS_personality, READ_IMPLIES_EXEC), EPERM))
		return 6;
	if (!is_refused(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_NEW_LISTENER, NULL),
			EPERM) ||
	    !is_refused(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL),
			EFAULT))
		return 7;
	return 0;
}

static void the_kernel_agrees(void **state)
{
	double begin = microseconds();
	struct confine_filter filter = build(state, &plain);
	pid_t pid;

	print_message("%zu instructions, %.0f us\n", filter.len,
		      microseconds() - begin);
	skip_without_filters();
	pid = fork();
	if (pid == 0)
		_exit(try_calls(&filter));
	assert_int_equal(status_of(pid), 0);
}

/*
 * The profile comes second and refuses seccomp itself; what it allows stays
 * refused, and of two errors its own is seen.
 */
static int try_both(const struct confine_filter *first,
		    const struct confine_filter *second)
{
	if (install(first) || install(second))
		return 1;
	if (!is_refused(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL),
			EACCES))
		return 2;
	if (!is_refused(syscall(SYS_unshare, 0), EPERM) ||
	    !is_refused(syscall(SYS_setns, -1, 0), EACCES))
		return 3;
	return 0;
}

static void linux_seccomp_comes_on_top(void **state)
{
	const struct oci_seccomp_rule rules[] = {
		{ NAMES("seccomp", "setns"), SECCOMP_RET_ERRNO | EACCES, NULL,
		  0 },
	};
	struct oci_seccomp profile = {
		.default_action = SECCOMP_RET_ALLOW,
		.rules = rules,
		.nrules = 1,
	};
	struct confine_filter filter = build(state, &plain), second;
	pid_t pid;

	skip_without_filters();
	assert_int_equal(confine_seccomp(*state, &profile, &second), 0);
	pid = fork();
	if (pid == 0)
		_exit(try_both(&filter, &second));
	assert_int_equal(status_of(pid), 0);
}

/* The profile's listener is let through, and no second one beside it. */
static int try_listener(const struct confine_filter *first,
			const struct confine_filter *second)
{
	struct confine_filter notifying = *second;

	notifying.flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER;
	if (install(first) || install(&notifying))
		return 1;
	return !install(&notifying) || errno != EBUSY;
}

static void a_listener_of_the_profile_is_the_only_one(void **state)
{
	const struct oci_seccomp_rule rules[] = {
		{ NAMES("mkdir"), SECCOMP_RET_USER_NOTIF, NULL, 0 },
	};
	struct oci_seccomp profile = {
		.default_action = SECCOMP_RET_ALLOW,
		.rules = rules,
		.nrules = 1,
	};
	struct confine_blocklist list = plain;
	struct confine_filter filter, second;
	pid_t pid;

	skip_without_filters();
	list.listener_follows = true;
	filter = build(state, &list);
	assert_int_equal(confine_seccomp(*state, &profile, &second), 0);
	pid = fork();
	if (pid == 0)
		_exit(try_listener(&filter, &second));
	assert_int_equal(status_of(pid), 0);
}

#ifdef __x86_64__
static void another_abi_is_deadly(void **state)
{
	struct confine_filter filter = build(state, &plain);

	assert_other_abi_is_deadly(&filter);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_agrees),
		cmocka_unit_test(linux_seccomp_comes_on_top),
		cmocka_unit_test(a_listener_of_the_profile_is_the_only_one),
#ifdef __x86_64__
		cmocka_unit_test(another_abi_is_deadly),
#endif
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
