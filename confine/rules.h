/* SPDX-License-Identifier: Apache-2.0 */
/* confine/rules.h - macros for the rules of the blocklist. */
#pragma once

#include <errno.h>
#include <linux/seccomp.h>

#include "base/util.h"
#include "confine/bpf.h"

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

#define BITS(index, bits, wanted)                                     \
	{                                                             \
		.arg = (index), .op = OCI_CMP_MASKED_EQ,              \
		.mask = (uint32_t)(bits), .value = (uint32_t)(wanted) \
	}
#define WORD(index, wanted) BITS(index, UINT32_MAX, wanted)
#define RULE(verdict, ...)                                                 \
	{                                                                  \
		.cmps = (const struct bpf_cmp[]){ __VA_ARGS__ },           \
		.ncmps = COUNT(((const struct bpf_cmp[]){ __VA_ARGS__ })), \
		.action = (verdict)                                        \
	}
