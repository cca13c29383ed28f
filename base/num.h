/* SPDX-License-Identifier: Apache-2.0 */
/* base/num.h - convert text to numbers; anything left over is an error. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Digits only: no sign, no space, no prefix. */
int num_u64(const char *text, uint64_t *ret);
int num_u32(const char *text, uint32_t *ret);
/* A leading '-' is allowed. */
int num_i64(const char *text, int64_t *ret);
/* A user or group id: 0 to 2^32-2 (the kernel uses 2^32-1 for "none"). */
int num_id(const char *text, uint32_t *ret);
/* Digits with an optional k, m, g, t (x1024, either case, an optional trailing b), or -1. */
int num_size(const char *text, int64_t *ret);
