/* SPDX-License-Identifier: Apache-2.0 */
/* confine/confine.h - compile seccomp programs from profiles and policies. */
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

/*
 * The part of a policy about system calls; see policy.h and policy/syscalls.h.
 */
struct confine_blocklist {
	struct strings extra_allow; /* groups */
	struct strings extra_deny;  /* groups or calls */
	bool inet;		    /* allow sockets of IPv4 and IPv6 */
	bool udp, icmp;		    /* allow these beside TCP */
	bool no_unix;		    /* deny Unix sockets, except pairs */
	bool no_fast_open;	    /* deny sends that connect, past Landlock */
	bool only_itself;	    /* deny calls that affect other processes */
	bool no_flags;		    /* deny changes of file flags */
	bool no_randomize;     /* the workload may disable ASLR for others */
	bool listener_follows; /* see confine_blocklist */
};

/* AUDIT_ARCH_… of this program. */
uint32_t confine_arch(void);

/*
 * Compile the program that every policy has: denied calls get EPERM (clone3
 * ENOSYS, so that libraries fall back to clone), a call of another ABI kills
 * the process. arch: AUDIT_ARCH_…, or 0 for that of this program.
 *
 * It is a separate filter, installed before that of linux.seccomp, which may
 * deny seccomp(2) itself. The kernel runs both, and the stricter action
 * applies; if both are an errno, that of linux.seccomp applies. If the profile
 * has a listener (listener_follows), this filter must allow it, and the kernel
 * then refuses a second one with EBUSY.
 */
int confine_blocklist(struct arena *arena, uint32_t arch,
		      const struct confine_blocklist *list,
		      struct confine_filter *ret);

/*
 * Compile a second program on top of that one, for a tracer that reports denied
 * calls: the kernel would return EPERM without notifying it. A denied call gets
 * SIGSYS, which is stricter, so that it is never made, whatever the tracer
 * does; the tracer suppresses the signal and sets the result. Allowed calls in
 * `calls` stop for the tracer by SECCOMP_RET_TRACE; without a tracer they fail
 * with ENOSYS. So does a denied call that is optional, for which the tracer
 * must return ENOSYS. Other calls that get ENOSYS from the first program are
 * left to it.
 */
int confine_watch(struct arena *arena, uint32_t arch,
		  const struct confine_blocklist *list,
		  const struct strings *calls, struct confine_filter *ret);

/* True if the filter denies a call with ENOSYS, so that programs fall back. */
bool confine_is_optional(uint32_t arch, uint64_t number);

/* Return the name of a call that only_itself filters, or NULL. */
const char *confine_process_call(uint32_t arch, uint64_t number);

/* True if the group `terminal` denies an ioctl. */
bool confine_is_terminal(uint64_t request);

/* Static lists for the features document. */
struct strings confine_seccomp_actions(void);
struct strings confine_seccomp_operators(void);
struct strings confine_seccomp_archs(void);
struct strings confine_seccomp_known_flags(void);
struct strings confine_seccomp_supported_flags(void);
const char *confine_libseccomp_version(struct arena *arena);
