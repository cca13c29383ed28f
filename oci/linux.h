/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/linux.h - numbers of Linux that config.json names: they are read and
 * checked on every platform.
 */
#pragma once

#ifdef __linux__

#include <linux/audit.h>
#include <linux/ioprio.h>
#include <linux/mempolicy.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/personality.h>

#else

/* clang-format off */
#define MS_REC 0x4000U
#define MS_PRIVATE 0x40000U
#define MS_SHARED 0x100000U
#define MS_SLAVE 0x80000U
#define MS_UNBINDABLE 0x20000U
#define CLONE_NEWNS 0x20000U
#define CLONE_NEWUTS 0x4000000U
#define CLONE_NEWIPC 0x8000000U
#define CLONE_NEWUSER 0x10000000U
#define CLONE_NEWPID 0x20000000U
#define CLONE_NEWNET 0x40000000U
#define SCHED_NORMAL 0x0U
#define SCHED_FIFO 0x1U
#define SCHED_RR 0x2U
#define SCHED_BATCH 0x3U
#define SCHED_IDLE 0x5U
#define SCHED_DEADLINE 0x6U
#define SCHED_FLAG_RESET_ON_FORK 0x1U
#define SCHED_FLAG_RECLAIM 0x2U
#define SCHED_FLAG_DL_OVERRUN 0x4U
#define SCHED_FLAG_KEEP_POLICY 0x8U
#define SCHED_FLAG_KEEP_PARAMS 0x10U
#define SCHED_FLAG_UTIL_CLAMP_MIN 0x20U
#define SCHED_FLAG_UTIL_CLAMP_MAX 0x40U
#define IOPRIO_CLASS_RT 0x1U
#define IOPRIO_CLASS_BE 0x2U
#define IOPRIO_CLASS_IDLE 0x3U
#define MPOL_DEFAULT 0x0U
#define MPOL_PREFERRED 0x1U
#define MPOL_BIND 0x2U
#define MPOL_INTERLEAVE 0x3U
#define MPOL_LOCAL 0x4U
#define MPOL_F_STATIC_NODES 0x8000U
#define MPOL_F_RELATIVE_NODES 0x4000U
#define MPOL_F_NUMA_BALANCING 0x2000U
#define PER_LINUX 0x0U
#define PER_LINUX32 0x8U
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#define SECCOMP_RET_KILL_THREAD 0x0U
#define SECCOMP_RET_TRAP 0x30000U
#define SECCOMP_RET_ERRNO 0x50000U
#define SECCOMP_RET_USER_NOTIF 0x7fc00000U
#define SECCOMP_RET_TRACE 0x7ff00000U
#define SECCOMP_RET_LOG 0x7ffc0000U
#define SECCOMP_RET_ALLOW 0x7fff0000U
#define SECCOMP_RET_DATA 0xffffU
#define SECCOMP_FILTER_FLAG_TSYNC 0x1U
#define SECCOMP_FILTER_FLAG_LOG 0x2U
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW 0x4U
#define AUDIT_ARCH_X86_64 0xc000003eU
#define AUDIT_ARCH_I386 0x40000003U
#define AUDIT_ARCH_AARCH64 0xc00000b7U
#define AUDIT_ARCH_ARM 0x40000028U
#define AUDIT_ARCH_MIPS 0x8U
#define AUDIT_ARCH_MIPSEL 0x40000008U
#define AUDIT_ARCH_MIPS64 0x80000008U
#define AUDIT_ARCH_MIPSEL64 0xc0000008U
#define AUDIT_ARCH_MIPS64N32 0xa0000008U
#define AUDIT_ARCH_MIPSEL64N32 0xe0000008U
#define AUDIT_ARCH_PPC 0x14U
#define AUDIT_ARCH_PPC64 0x80000015U
#define AUDIT_ARCH_PPC64LE 0xc0000015U
#define AUDIT_ARCH_S390 0x16U
#define AUDIT_ARCH_S390X 0x80000016U
#define AUDIT_ARCH_PARISC 0xfU
#define AUDIT_ARCH_PARISC64 0x8000000fU
#define AUDIT_ARCH_RISCV64 0xc00000f3U
#define AUDIT_ARCH_M68K 0x4U
#define AUDIT_ARCH_SH 0x2aU
#define AUDIT_ARCH_SHEL 0x4000002aU

/* Limits and signals that other systems do not have: no call accepts them. */
#define RLIMIT_LOCKS 1001
#define RLIMIT_MSGQUEUE 1002
#define RLIMIT_NICE 1003
#define RLIMIT_RTPRIO 1004
#define RLIMIT_RTTIME 1005
#define RLIMIT_SIGPENDING 1006
#define SIGPWR 1001
#define SIGSTKFLT 1002
#ifndef SIGPOLL
#define SIGPOLL SIGIO
#endif
/* clang-format on */

#endif

/* After the headers of the C library, which have some of its numbers. */
#include "base/kernel.h"
