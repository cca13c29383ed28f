/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/blocklist_asked.h - a blocklist for an architecture, and its answers. */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/confine.h"
#include "tests/unit/bpf_interpreter.h"

#include <cmocka.h> /* late: its fail() is a macro */

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)
#define CLOSED SECCOMP_RET_KILL_PROCESS
#define X86 AUDIT_ARCH_X86_64
#define ARM AUDIT_ARCH_AARCH64
#define NEWER 470 /* than file_setattr, the last that is known */
#define GARBAGE 0xdeadbeef00000000ULL

static const uint32_t archs[] = { X86, ARM };

static const struct confine_blocklist plain = {
	.inet = true,
	.udp = true,
	.icmp = true,
};

/* What an earlier program took is given back: there is one at a time. */
static inline struct confine_filter build(void **state, uint32_t arch,
					  const struct confine_blocklist *list)
{
	struct arena *arena = *state;
	struct confine_filter filter;

	memset(arena->memory, 0, arena->used);
	arena->used = 0;
	assert_int_equal(confine_blocklist(arena, arch, list, &filter), 0);
	return filter;
}

/* The number, or -1 where there is no such call. */
static inline int number_of(uint32_t arch, const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(arch, name);

	if (streq(name, "open_tree_attr"))
		return 467;
	if (streq(name, "fchmodat2"))
		return 452;
	if (streq(name, "statmount"))
		return 457;
	if (streq(name, "listmount"))
		return 458;
	assert_int_not_equal(number, __NR_SCMP_ERROR);
	return number < 0 ? -1 : number;
}

static inline uint32_t ask(const struct confine_filter *filter, uint32_t arch,
			   uint32_t number, const uint64_t *args)
{
	struct seccomp_data call = { .arch = arch, .nr = (int)number };

	if (args)
		memcpy(call.args, args, 4 * sizeof *args);
	return bpf_run(filter->code, filter->len, &call);
}

static inline void expect(uint32_t action, uint32_t expected, const char *what,
			  uint32_t number)
{
	if (action != expected)
		print_error("%s, call %u: %#x, not %#x\n", what, number, action,
			    expected);
	assert_int_equal(action, expected);
}
