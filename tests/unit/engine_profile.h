/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/engine_profile.h - a seccomp profile as engines send it. */
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
#define NAMES(...)                                                \
	{                                                         \
		(const char *[]){ __VA_ARGS__, NULL },            \
			sizeof((const char *[]){ __VA_ARGS__ }) / \
				sizeof(char *)                    \
	}
#define ARGS(...)                                                         \
	(const struct oci_seccomp_arg[]){ __VA_ARGS__ },                  \
		sizeof((const struct oci_seccomp_arg[]){ __VA_ARGS__ }) / \
			sizeof(struct oci_seccomp_arg)
#define RULES(...)                                                           \
	.rules = (const struct oci_seccomp_rule[]){ __VA_ARGS__ },           \
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

static const char *const denied[] = {
	"acct",
	"add_key",
	"bpf",
	"clone",
	"clone3",
	"create_module",
	"delete_module",
	"finit_module",
	"fsconfig",
	"fsmount",
	"fsopen",
	"init_module",
	"ioperm",
	"iopl",
	"kcmp",
	"kexec_file_load",
	"kexec_load",
	"keyctl",
	"mount",
	"mount_setattr",
	"move_mount",
	"open_by_handle_at",
	"open_tree",
	"perf_event_open",
	"personality",
	"pivot_root",
	"process_vm_readv",
	"process_vm_writev",
	"ptrace",
	"quotactl",
	"reboot",
	"request_key",
	"setdomainname",
	"sethostname",
	"setns",
	"settimeofday",
	"socket",
	"swapoff",
	"swapon",
	"syslog",
	"umount",
	"umount2",
	"unshare",
	"userfaultfd",
	"vhangup",
};

static bool is_denied(const char *name)
{
	for (size_t i = 0; i < COUNT(denied); i++)
		if (streq(denied[i], name))
			return true;
	return false;
}

static void allow_known(struct arena *arena, uint32_t arch, int last,
			struct strings *names)
{
	for (int nr = 0; nr <= last; nr++) {
		autofree char *name =
			seccomp_syscall_resolve_num_arch(arch, nr);

		if (name && !is_denied(name))
			names->items[names->n++] = arena_strdup(arena, name);
	}
}

static struct oci_seccomp engine_profile(struct arena *arena)
{
	static const struct oci_seccomp_arg personalities[] = {
		{ 0, 0, 0, OCI_CMP_EQ },	  { 0, 8, 0, OCI_CMP_EQ },
		{ 0, 0x20000, 0, OCI_CMP_EQ },	  { 0, 0x20008, 0, OCI_CMP_EQ },
		{ 0, 0xffffffff, 0, OCI_CMP_EQ },
	};
	const struct oci_seccomp_rule rules[] = {
		{ { arena_array(arena, 2000, sizeof(char *)), 0 },
		  ALLOW,
		  NULL,
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
		.default_action = ERRNO(EPERM),
		.architectures = all_x86,
		.narchitectures = COUNT(all_x86),
		.rules = copy,
		.nrules = COUNT(rules),
	};
}
