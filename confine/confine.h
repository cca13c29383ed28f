/* SPDX-License-Identifier: Apache-2.0 */
/* confine/confine.h - what holds a process: seccomp programs from profiles and policies. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oci/oci.h"

struct arena;

struct confine_filter {
	struct sock_filter *code;
	size_t len;
	uint32_t flags; /* SECCOMP_FILTER_FLAG_… to install it with */
	bool notifies;	/* needs a listener */
};

/*
 * Compile linux.seccomp into one program: a tree over the call numbers of
 * each architecture. Unknown call names are skipped, calls newer than the
 * profile get ENOSYS where the default is an errno.
 */
int confine_seccomp(struct arena *arena, const struct oci_seccomp *profile,
		    struct confine_filter *ret);

/* What a policy says about system calls; policy.h and policy/syscalls.h. */
struct confine_blocklist {
	struct strings extra_allow; /* groups */
	struct strings extra_deny;  /* groups or calls */
	bool inet;		    /* sockets of IPv4 and IPv6 at all */
	bool udp, icmp;		    /* and beside TCP */
	bool no_unix;		    /* no Unix sockets but pairs */
	bool no_fast_open;	    /* data that connects, past Landlock */
	bool only_itself;      /* of all processes, where others are seen */
	bool no_flags;	       /* of files, without read-only mounts */
	bool no_randomize;     /* the workload may turn ASLR off for others */
	bool listener_follows; /* see confine_blocklist */
};

/* AUDIT_ARCH_… of this program. */
uint32_t confine_arch(void);

/*
 * The program that holds under any policy: what is refused gets EPERM (clone3
 * ENOSYS, so that libraries fall back to clone), a call of another ABI ends
 * the process. arch: AUDIT_ARCH_…, or 0 for that of this program.
 *
 * It is a filter of its own, to be installed before that of linux.seccomp,
 * which may refuse seccomp(2) itself. The kernel asks both and the stricter
 * answer holds; where both say errno, that of linux.seccomp is seen. A
 * listener of the profile (listener_follows) must be let through, and then it
 * is the kernel that refuses a second one with EBUSY.
 */
int confine_blocklist(struct arena *arena, uint32_t arch,
		      const struct confine_blocklist *list,
		      struct confine_filter *ret);

/*
 * A second program on top of that one, for a tracer that is to see what is
 * refused: the kernel would answer EPERM without a word to it. A refused call
 * gets SIGSYS, which is stricter, so that it is never made, whatever the tracer
 * does; it takes the signal away and answers. The calls named here, as far as
 * they are allowed, stop for it by SECCOMP_RET_TRACE; without a tracer they are
 * ENOSYS. So is a refused call that programs can do without (optional), which
 * the tracer has to answer with ENOSYS; other calls that get ENOSYS in the first
 * program are left to that.
 */
int confine_watch(struct arena *arena, uint32_t arch,
		  const struct confine_blocklist *list,
		  const struct strings *calls, struct confine_filter *ret);

/* Whether the filter denies it with ENOSYS, so that programs fall back. */
bool confine_is_optional(uint32_t arch, uint64_t number);

/* Refuse a word of extra_deny that is neither a group nor a system call. */
int confine_check_denied(const struct strings *words);

/* The name of a call that only_itself judges, or NULL. */
const char *confine_process_call(uint32_t arch, uint64_t number);

/* Whether the group terminal refuses an ioctl. */
bool confine_is_terminal(uint64_t request);

/* Static lists for the features document. */
struct strings confine_seccomp_actions(void);
struct strings confine_seccomp_operators(void);
struct strings confine_seccomp_archs(void);
struct strings confine_seccomp_known_flags(void);
struct strings confine_seccomp_supported_flags(void);
const char *confine_libseccomp_version(struct arena *arena);
