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
/*
 * A number with an optional unit k, m, g or t, as 64M, 64MB or 64MiB: all are
 * multiples of 1024, in either case. A fraction needs a unit: 1.5G.
 */
int num_bytes(const char *text, uint64_t *ret);
/* The same, or -1 for no limit. */
int num_size(const char *text, int64_t *ret);
