/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_trace_calls.c - which paths and addresses a call is about. */
#include <fcntl.h>
#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/util.h"
#include "confine/calls.h"
#include "confine/landlock.h"
#include "oci/oci.h"
#include "runtime/denials/trace_calls.h"

#include <cmocka.h>

#define READ LANDLOCK_MAY_READ
#define WRITE LANDLOCK_MAY_WRITE
#define RW (READ | WRITE)
#define EXECUTE LANDLOCK_MAY_EXECUTE
#define HERE AT_FDCWD
#define NOFOLLOW AT_SYMLINK_NOFOLLOW
#define X86 AUDIT_ARCH_X86_64

enum { MAKES = 1, LINK = 2, ADDRESS = 4 };

/* A path at 7 or 8, below the descriptor 5 if the call takes one. */
static const struct {
	const char *call;
	uint64_t args[6], flags; /* those of openat2, from memory */
	int n;
	int dir; /* from here on: of the first target */
	uint64_t path;
	uint32_t rights;
	int more;
	uint32_t size;
} calls[] = {
	{ "open", { 7, O_RDONLY }, 0, 1, HERE, 7, READ, 0, 0 },
	{ "openat", { 5, 7, O_WRONLY }, 0, 1, 5, 7, WRITE, 0, 0 },
	{ "openat", { HERE, 7, O_RDWR | O_CREAT }, 0, 1, HERE, 7, RW, MAKES, 0 },
	{ "openat", { 5, 7, O_TRUNC }, 0, 1, 5, 7, RW, 0, 0 },
	{ "openat", { 5, 7, O_PATH | O_NOFOLLOW }, 0, 1, 5, 7, READ, LINK, 0 },
	{ "openat2", { 5, 7, 99 }, O_WRONLY, 1, 5, 7, WRITE, 0, 0 },
	{ "access", { 7, W_OK }, 0, 1, HERE, 7, WRITE, 0, 0 },
	{ "faccessat", { 5, 7, X_OK }, 0, 1, 5, 7, EXECUTE, 0, 0 },
	{ "faccessat2", { 5, 7, F_OK }, 0, 1, 5, 7, READ, 0, 0 },
	{ "newfstatat", { 5, 7, 0, NOFOLLOW }, 0, 1, 5, 7, READ, LINK, 0 },
	{ "newfstatat", { 5, 7, 0, 0 }, 0, 1, 5, 7, READ, 0, 0 },
	{ "execve", { 7, 8, 9 }, 0, 1, HERE, 7, EXECUTE, 0, 0 },
	{ "symlinkat", { 7, 5, 8 }, 0, 1, 5, 8, WRITE, MAKES | LINK, 0 },
	{ "renameat2", { 5, 7, 6, 8 }, 0, 2, 5, 7, WRITE, LINK, 0 },
	{ "connect", { 3, 7, 16 }, 0, 1, 3, 7, 0, ADDRESS, 16 },
	{ "sendto", { 3, 1, 1, 0, 7, 28 }, 0, 1, 3, 7, 0, ADDRESS, 28 },
};

static void decodes_calls(void **state)
{
	struct trace_map map;

	(void)state;
	trace_map_make(X86, &map);
	for (size_t i = 0; i < COUNT(calls); i++) {
		int number = call_number(X86, calls[i].call);
		const struct trace_call *call =
			trace_find(&map, (uint64_t)number);
		struct trace_target targets[TRACE_TARGETS], *first = targets;

		assert_non_null(call);
		assert_string_equal(trace_call_name(call), calls[i].call);
		assert_int_equal(trace_flags_at(call, calls[i].args),
				 streq(calls[i].call, "openat2") ? 99 : 0);
		assert_int_equal(trace_decode(call, calls[i].args,
					      calls[i].flags, targets),
				 calls[i].n);
		assert_int_equal(first->dir, calls[i].dir);
		assert_int_equal(first->path, calls[i].path);
		assert_int_equal(first->rights, calls[i].rights);
		assert_int_equal(first->makes, !!(calls[i].more & MAKES));
		assert_int_equal(first->link, !!(calls[i].more & LINK));
		assert_int_equal(first->address, !!(calls[i].more & ADDRESS));
		assert_int_equal(first->size, calls[i].size);
	}
	assert_null(trace_find(&map, (uint64_t)call_number(X86, "read")));
	assert_null(trace_find(&map, UINT64_MAX));
}

/* A call with an unknown name would never be examined. */
static void knows_all_names(void **state)
{
	struct strings names = trace_calls_names();

	(void)state;
	for (size_t i = 0; i < names.n; i++)
		assert_true(call_number(X86, names.items[i]) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_calls),
		cmocka_unit_test(knows_all_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
