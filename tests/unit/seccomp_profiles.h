/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/seccomp_profiles.h - an engine's profile, and random rules. */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/util.h"
#include "oci/oci.h"

#define ERRNO(e) (SECCOMP_RET_ERRNO | (e))
#define ALLOW SECCOMP_RET_ALLOW
#define X32_BIT 0x40000000U
#define NAMES(...)                                                        \
	{ (const char *[]){ __VA_ARGS__, NULL },                          \
	  sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) }
#define ARGS(...)                                                         \
	(const struct oci_seccomp_arg[]){ __VA_ARGS__ },                  \
		sizeof((const struct oci_seccomp_arg[]){ __VA_ARGS__ }) / \
			sizeof(struct oci_seccomp_arg)
#define RULES(...)                                                         \
	.rules = (const struct oci_seccomp_rule[]){ __VA_ARGS__ },         \
	.nrules = sizeof((const struct oci_seccomp_rule[]){ __VA_ARGS__ }) / \
		  sizeof(struct oci_seccomp_rule)

static const uint32_t all_x86[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_I386,
				    OCI_ARCH_X32 };
static const uint32_t all_arm[] = { AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM };

/* This processor, and those whose programs it runs. */
#if defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define FAMILY all_arm
#else
#define NATIVE AUDIT_ARCH_X86_64
#define FAMILY all_x86
#endif

/* ---- a profile as engines send it ---- */

static const char *const denied[] = {
	"acct", "add_key", "bpf", "clone", "clone3", "create_module",
	"delete_module", "finit_module", "fsconfig", "fsmount", "fsopen",
	"init_module", "ioperm", "iopl", "kcmp", "kexec_file_load",
	"kexec_load", "keyctl", "mount", "mount_setattr", "move_mount",
	"open_by_handle_at", "open_tree", "perf_event_open", "personality",
	"pivot_root", "process_vm_readv", "process_vm_writev", "ptrace",
	"quotactl", "reboot", "request_key", "setdomainname", "sethostname",
	"setns", "settimeofday", "socket", "swapoff", "swapon", "syslog",
	"umount", "umount2", "unshare", "userfaultfd", "vhangup",
};

static bool is_denied(const char *name)
{
	for (size_t i = 0; i < COUNT(denied); i++)
		if (streq(denied[i], name))
			return true;
	return false;
}

static void allow_known(struct arena *arena, uint32_t arch, int last,
			struct oci_strings *names)
{
	for (int nr = 0; nr <= last; nr++) {
		autofree char *name = seccomp_syscall_resolve_num_arch(arch,
								       nr);

		if (name && !is_denied(name))
			names->items[names->n++] = arena_strdup(arena, name);
	}
}

static struct oci_seccomp engine_profile(struct arena *arena)
{
	static const struct oci_seccomp_arg personalities[] = {
		{ 0, 0, 0, OCI_CMP_EQ }, { 0, 8, 0, OCI_CMP_EQ },
		{ 0, 0x20000, 0, OCI_CMP_EQ }, { 0, 0x20008, 0, OCI_CMP_EQ },
		{ 0, 0xffffffff, 0, OCI_CMP_EQ },
	};
	const struct oci_seccomp_rule rules[] = {
		{ { arena_array(arena, 2000, sizeof(char *)), 0 }, ALLOW, NULL,
		  0 },
		{ NAMES("personality"), ALLOW, personalities,
		  COUNT(personalities) },
		{ NAMES("clone"), ALLOW,
		  ARGS({ 0, 0x7e020000, 0, OCI_CMP_MASKED_EQ }) },
		{ NAMES("clone3"), ERRNO(ENOSYS), NULL, 0 },
		{ NAMES("socket"), ERRNO(EINVAL),
		  ARGS({ 0, 16, 0, OCI_CMP_EQ }, { 2, 9, 0, OCI_CMP_EQ }) },
		{ NAMES("socket"), ALLOW, ARGS({ 2, 9, 0, OCI_CMP_NE }) },
		{ NAMES("socket"), ALLOW, ARGS({ 0, 16, 0, OCI_CMP_NE }) },
		{ NAMES("bdflush", "mount", "io_pgetevents_from_mars"),
		  ERRNO(EPERM), NULL, 0 },
	};
	struct oci_seccomp_rule *copy = arena_alloc(arena, sizeof rules);

	memcpy(copy, rules, sizeof rules);
	for (size_t i = 1; i < COUNT(rules); i++) {
		copy[i].names.items = arena_grow(arena, rules[i].names.items,
						 rules[i].names.n + 1,
						 rules[i].names.n + 1,
						 sizeof(char *));
		copy[i].args = arena_grow(arena, rules[i].args, rules[i].nargs,
					  rules[i].nargs,
					  sizeof *rules[i].args);
	}
	allow_known(arena, AUDIT_ARCH_X86_64, 440, &copy[0].names);
	allow_known(arena, AUDIT_ARCH_I386, 440, &copy[0].names);
	return (struct oci_seccomp){
		.default_action = ERRNO(EPERM), .architectures = all_x86,
		.narchitectures = COUNT(all_x86), .rules = copy,
		.nrules = COUNT(rules),
	};
}

static uint32_t roll(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % sides;
}

/* ---- random rules ---- */

/*
 * At most one that goes through socketcall and one through ipc on i386, and
 * not semop: libseccomp 2.5 may forget the whole architecture over it. So it
 * does on aarch64 over an unconditional rule for a call that is not there.
 */
static const char *const some_names[] = {
	"read", "ioctl", "socket", "semget", "clone", "prctl", "openat",
#ifndef __aarch64__
	"fstat64", "_llseek", "arch_prctl", "epoll_wait",
#endif
	"no_such_call",
};

static const uint32_t some_actions[] = {
	ALLOW, ERRNO(1), ERRNO(2), SECCOMP_RET_TRAP, SECCOMP_RET_LOG,
	SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_TRACE | 7,
	SECCOMP_RET_KILL_THREAD,
};

static struct oci_seccomp_arg random_arg(uint32_t *seed, uint32_t index)
{
	static const uint64_t high[] = { 0, 0, 0, 1ULL << 32, 5ULL << 32,
					 ~0ULL << 32 };

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
		.args = args, .nargs = nargs,
	};
}
