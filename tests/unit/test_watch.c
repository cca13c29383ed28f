/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_watch.c - the filter for a tracer beside the one it watches:
 * never less, and nothing refused without a word.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/calls.h"
#include "confine/confine.h"
#include "tests/unit/bpf_interpreter.h"

#include <cmocka.h>

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)

static const uint32_t archs[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 };

static const uint64_t arguments[][6] = {
	{ 0 },
	{ AF_INET, SOCK_STREAM, 0, 0, 0, 0 },
	{ AF_INET6, SOCK_DGRAM, 0, 0, 1, 28 },
	{ AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0, 0 },
	{ AF_PACKET, SOCK_RAW, 3, 0, 0x7fff00000000, 16 },
	{ CLONE_NEWUSER | 17, TIOCSTI, 0, 0, 0, 0 },
	{ CLONE_VM, 1 << 3, 0, 0, 0, 0 },
	{ 0xffffffff, TIOCSETD, 0, 0, 0, 0 },
	{ 1, FS_IOC_SETFLAGS, 1, 0, 0, 0 },
	{ 0, 04755, 0, 0, 0, 0 },
	{ 0, 0, O_CREAT, 04755, 0, 0 },
};

static const char *watched[] = { "openat", "execve", "socket", "connect",
				 "sendto", "mount",  "chroot", NULL };
static const struct strings calls = { watched, COUNT(watched) - 1 };

static bool is_watched(uint32_t arch, uint32_t number, const uint64_t *args)
{
	for (size_t i = 0; i < calls.n; i++)
		if (call_number(arch, watched[i]) == (int)number)
			return !streq(watched[i], "sendto") || args[4];
	return false;
}

static uint32_t ask(const struct confine_filter *filter, uint32_t arch,
		    uint32_t number, const uint64_t *args)
{
	struct seccomp_data data = { .nr = (int)number, .arch = arch };

	memcpy(data.args, args, sizeof data.args);
	return bpf_run(filter->code, filter->len, &data);
}

static uint32_t expected(uint32_t held, bool looked_at, bool optional)
{
	switch (held) {
	case REFUSE:
		return SECCOMP_RET_TRAP;
	case ABSENT:
		return optional ? SECCOMP_RET_TRAP : SECCOMP_RET_ALLOW;
	case SECCOMP_RET_ALLOW:
		return looked_at ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW;
	default:
		return held;
	}
}

static void compare(struct arena *arena, uint32_t arch,
		    const struct confine_blocklist *list)
{
	struct confine_filter policy, watch;

	assert_int_equal(confine_blocklist(arena, arch, list, &policy), 0);
	assert_int_equal(confine_watch(arena, arch, list, &calls, &watch), 0);
	for (uint32_t number = 0; number < 1024; number++)
		for (size_t i = 0; i < COUNT(arguments); i++) {
			const uint64_t *args = arguments[i];
			uint32_t held = ask(&policy, arch, number, args);

			assert_int_equal(ask(&watch, arch, number, args),
					 expected(held,
						  is_watched(arch, number,
							     args),
						  number == 435 ||
							  number == 437));
		}
	assert_int_equal(ask(&watch, AUDIT_ARCH_I386, 5, arguments[0]),
			 SECCOMP_RET_KILL_PROCESS);
}

static void watches_what_the_policy_holds(void **state)
{
	static const char *const groups[] = { "mount", "raw_sockets" };
	static const char *const denied[] = { "openat", "listen" };
	const struct confine_blocklist lists[] = {
		{ .inet = false },
		{ .inet = true, .udp = true, .icmp = true },
		{ .extra_allow = { (const char **)groups, 2 }, .inet = true },
		{ .extra_deny = { (const char **)denied, 2 } },
		{ .only_itself = true, .no_flags = true },
	};
	struct arena arena;

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++)
		for (size_t k = 0; k < COUNT(archs); k++) {
			assert_int_equal(arena_open(&arena, 4 << 20), 0);
			compare(&arena, archs[k], &lists[i]);
			arena_close(&arena);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watches_what_the_policy_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
