/* SPDX-License-Identifier: Apache-2.0 */
/* confine/features.c - names of linux.seccomp that `features` lists. */
#include "confine/confine.h"

#include "base/util.h"

#define STRINGS(...)                                                      \
	({                                                                \
		static const char *const words[] = { __VA_ARGS__, NULL }; \
		STRINGS_OF(words);                                        \
	})

struct strings confine_seccomp_actions(void)
{
	return STRINGS("SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO", "SCMP_ACT_KILL",
		       "SCMP_ACT_KILL_PROCESS", "SCMP_ACT_KILL_THREAD",
		       "SCMP_ACT_LOG", "SCMP_ACT_NOTIFY", "SCMP_ACT_TRACE",
		       "SCMP_ACT_TRAP");
}

struct strings confine_seccomp_operators(void)
{
	return STRINGS("SCMP_CMP_EQ", "SCMP_CMP_GE", "SCMP_CMP_GT",
		       "SCMP_CMP_LE", "SCMP_CMP_LT", "SCMP_CMP_MASKED_EQ",
		       "SCMP_CMP_NE");
}

struct strings confine_seccomp_archs(void)
{
	return STRINGS("SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM",
		       "SCMP_ARCH_LOONGARCH64", "SCMP_ARCH_M68K",
		       "SCMP_ARCH_MIPS", "SCMP_ARCH_MIPS64",
		       "SCMP_ARCH_MIPS64N32", "SCMP_ARCH_MIPSEL",
		       "SCMP_ARCH_MIPSEL64", "SCMP_ARCH_MIPSEL64N32",
		       "SCMP_ARCH_PARISC", "SCMP_ARCH_PARISC64",
		       "SCMP_ARCH_PPC", "SCMP_ARCH_PPC64", "SCMP_ARCH_PPC64LE",
		       "SCMP_ARCH_RISCV64", "SCMP_ARCH_S390", "SCMP_ARCH_S390X",
		       "SCMP_ARCH_SH", "SCMP_ARCH_SHEB", "SCMP_ARCH_X32",
		       "SCMP_ARCH_X86", "SCMP_ARCH_X86_64");
}

struct strings confine_seccomp_known_flags(void)
{
	return STRINGS("SECCOMP_FILTER_FLAG_LOG",
		       "SECCOMP_FILTER_FLAG_SPEC_ALLOW",
		       "SECCOMP_FILTER_FLAG_TSYNC",
		       "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV");
}

/*
 * This does not depend on the kernel: a flag that it lacks fails when the
 * filter is installed.
 */
struct strings confine_seccomp_supported_flags(void)
{
	return confine_seccomp_known_flags();
}
