/* SPDX-License-Identifier: Apache-2.0 */
/* confine/calls.h - convert names of system calls to numbers. */
#pragma once

#include <stdint.h>

struct oci_seccomp;
struct strings;

/*
 * Return the number on an architecture (AUDIT_ARCH_…), -ENOSYS if that lacks
 * the call, -ENOENT if the name is not a call anywhere.
 */
int call_number(uint32_t arch, const char *name);

/* Like call_number, for calls that libseccomp knows. */
int libseccomp_number(uint32_t arch, const char *name);
/* With fail_unknown, check that every name in the profile is a call. */
int calls_check_names(const struct oci_seccomp *profile);
/* Return the newest call known here, on any architecture. */
uint32_t call_newest(void);
/* Fail if a word of extra_deny is neither a group nor a system call. */
int confine_check_denied(const struct strings *words);
