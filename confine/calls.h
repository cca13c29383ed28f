/* SPDX-License-Identifier: Apache-2.0 */
/* confine/calls.h - names of system calls into numbers. */
#pragma once

#include <stdint.h>

struct oci_seccomp;

/*
 * The number on an architecture (AUDIT_ARCH_…), or -ENOSYS for a call that it
 * has not, -ENOENT for a name that means no call anywhere.
 */
int call_number(uint32_t arch, const char *name);

/* The same, of what libseccomp knows. */
int libseccomp_number(uint32_t arch, const char *name);
/* With fail_unknown, check that every name in the profile is a call. */
int calls_check_names(const struct oci_seccomp *profile);
/* The last call that is known here, on any architecture. */
uint32_t call_newest(void);
