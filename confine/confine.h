/* SPDX-License-Identifier: Apache-2.0 */
/* confine/confine.h - what holds a process: seccomp programs built from profiles. */
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
	uint32_t flags;		/* SECCOMP_FILTER_FLAG_… to install it with */
	bool notifies;		/* needs a listener */
};

/*
 * Compile linux.seccomp into one program: a tree over the call numbers of
 * each architecture. Unknown call names are skipped, calls newer than the
 * profile get ENOSYS where the default is an errno.
 */
int confine_seccomp(struct arena *arena, const struct oci_seccomp *profile,
		    struct confine_filter *ret);

/* Static lists for the features document. */
struct oci_strings confine_seccomp_actions(void);
struct oci_strings confine_seccomp_operators(void);
struct oci_strings confine_seccomp_archs(void);
struct oci_strings confine_seccomp_known_flags(void);
struct oci_strings confine_seccomp_supported_flags(void);
const char *confine_libseccomp_version(struct arena *arena);
