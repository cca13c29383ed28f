/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_seccomp_kernel.c - linux.seccomp in the kernel, and long programs. */
#include <errno.h>
#include <seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/util.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/bpf_interpreter.h"

#include <cmocka.h> /* late: its fail() is a macro */

#include "tests/unit/engine_profile.h"
#include "tests/unit/filter_kernel.h"

/* ---- long programs ---- */

static struct oci_seccomp long_profile(struct arena *arena, size_t n)
{
	struct oci_seccomp_rule *rules = arena_array(arena, n, sizeof *rules);
	struct oci_seccomp_arg *args = arena_array(arena, n, sizeof *args);
	static const char *names[] = { "read", NULL };

	for (size_t i = 0; i < n; i++) {
		args[i] = (struct oci_seccomp_arg){ .value = 2 * i,
						    .op = OCI_CMP_EQ };
		rules[i] = (struct oci_seccomp_rule){
			{ names, 1 }, ERRNO(1 + i % 20), &args[i], 1
		};
	}
	return (struct oci_seccomp){ .default_action = ALLOW,
				     .rules = rules,
				     .nrules = n };
}

static void far_jumps_arrive(void **state)
{
	struct oci_seccomp profile = long_profile(*state, 700);
	struct confine_filter filter;

	assert_int_equal(confine_seccomp(*state, &profile, &filter), 0);
	for (uint64_t value = 0; value < 1500; value++) {
		struct seccomp_data call = { .arch = NATIVE,
					     .nr = SYS_read,
					     .args = { value } };

		assert_int_equal(bpf_run(filter.code, filter.len, &call),
				 value % 2 || value >= 1400 ?
					 ALLOW :
					 ERRNO(1 + value / 2 % 20));
	}
}

static void a_program_too_long_is_an_error(void **state)
{
	struct oci_seccomp profile = long_profile(*state, 3000);
	struct confine_filter filter;

	err_clear();
	assert_int_equal(confine_seccomp(*state, &profile, &filter), -E2BIG);
	assert_non_null(strstr(err_text(), "more than 4096 instructions"));
}

/* ---- the kernel ---- */

/* In a child that dies with 0 when everything is as the profile says. */
static int try_calls(const struct confine_filter *filter)
{
	if (install(filter))
		return 1;
	if (syscall(SYS_getppid) <= 0)
		return 2;
	if (syscall(SYS_pivot_root, NULL, NULL) != -1 || errno != EPERM)
		return 3;
	if (syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS)
		return 4;
	if (syscall(SYS_socket, 16, SOCK_RAW, 9) != -1 || errno != EINVAL)
		return 5;
	if (syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0) < 0)
		return 6;
	if (syscall(SYS_personality, 0x20000000) != -1 || errno != EPERM)
		return 7;
	if (syscall(SYS_personality, 0xffffffff) != 0)
		return 8;
	if (syscall(460) != -1 || errno != ENOSYS)
		return 9;
	return 0;
}

static int try_last_rule(const struct confine_filter *filter)
{
	return install(filter) || syscall(SYS_read, 1398, NULL, 0) != -1 ||
	       errno != 1 + 699 % 20;
}

static void assert_child_agrees(struct arena *arena,
				const struct oci_seccomp *profile,
				int (*try)(const struct confine_filter *))
{
	struct confine_filter filter;
	pid_t pid;

	skip_without_filters();
	assert_int_equal(confine_seccomp(arena, profile, &filter), 0);
	pid = fork();
	if (pid == 0)
		_exit(try(&filter));
	assert_int_equal(status_of(pid), 0);
}

static void the_kernel_agrees(void **state)
{
	struct oci_seccomp profile = engine_profile(*state);

	assert_child_agrees(*state, &profile, try_calls);
}

static void the_kernel_takes_long_programs(void **state)
{
	struct oci_seccomp profile = long_profile(*state, 700);

	assert_child_agrees(*state, &profile, try_last_rule);
}

#ifdef __x86_64__
static void another_abi_is_deadly(void **state)
{
	struct oci_seccomp profile = { .default_action = ALLOW };
	struct confine_filter filter;

	assert_int_equal(confine_seccomp(*state, &profile, &filter), 0);
	assert_other_abi_is_deadly(&filter);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_jumps_arrive),
		cmocka_unit_test(a_program_too_long_is_an_error),
		cmocka_unit_test(the_kernel_agrees),
		cmocka_unit_test(the_kernel_takes_long_programs),
#ifdef __x86_64__
		cmocka_unit_test(another_abi_is_deadly),
#endif
	};

	/* The profile knows the numbers of these only. */
	if (seccomp_arch_native() != NATIVE)
		return 77;
	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
