/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/seccomp_profiles.h - an engine's profile, and random rules. */
#pragma once

#include "tests/unit/engine_profile.h"

static uint32_t roll(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % sides;
}

/*
 * At most one that goes through socketcall and one through ipc on i386, and
 * not semop: libseccomp 2.5 may forget the whole architecture over it. So it
 * does on aarch64 over an unconditional rule for a call that is not there.
 */
static const char *const some_names[] = {
	"read",		"ioctl",   "socket",	 "semget",
	"clone",	"prctl",   "openat",
#ifndef __aarch64__
	"fstat64",	"_llseek", "arch_prctl", "epoll_wait",
#endif
	"no_such_call",
};

static const uint32_t some_actions[] = {
	ALLOW,
	ERRNO(1),
	ERRNO(2),
	SECCOMP_RET_TRAP,
	SECCOMP_RET_LOG,
	SECCOMP_RET_KILL_PROCESS,
	SECCOMP_RET_TRACE | 7,
	SECCOMP_RET_KILL_THREAD,
};

static struct oci_seccomp_arg random_arg(uint32_t *seed, uint32_t index)
{
	static const uint64_t high[] = { 0,	     0,		 0,
					 1ULL << 32, 5ULL << 32, ~0ULL << 32 };

	return (struct oci_seccomp_arg){
		.index = index,
		.value = roll(seed, 6) | high[roll(seed, COUNT(high))],
		.value_two = roll(seed, 6) | high[roll(seed, COUNT(high))],
		.op = roll(seed, OCI_CMP_MASKED_EQ + 1),
	};
}

static struct oci_seccomp_rule random_rule(struct arena *arena, uint32_t *seed,
					   size_t name, bool may_repeat)
{
	struct oci_seccomp_arg *args = arena_array(arena, 4, sizeof *args);
	const char **names = arena_array(arena, 2, sizeof *names);
	uint32_t nargs = roll(seed, 4);

	for (uint32_t i = 0; i < nargs; i++)
		args[i] = random_arg(seed, may_repeat ? roll(seed, 6) : 5 - i);
	names[0] = some_names[name];
	return (struct oci_seccomp_rule){
		.names = { names, 1 },
		.action = some_actions[name % COUNT(some_actions)],
		.args = args,
		.nargs = nargs,
	};
}
