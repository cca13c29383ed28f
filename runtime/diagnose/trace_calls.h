/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/trace_calls.h - what system calls want of which path. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "oci/oci.h"

#define WHY_MOST_CALLS 512
#define WHY_TARGETS 2

struct why_call;

/* Which numbers one architecture gives to the calls that are looked at. */
struct why_map {
	uint32_t arch;
	const struct why_call *calls[WHY_MOST_CALLS];
};

/* A path that a call names, still in the memory of its process. */
struct why_target {
	int dir; /* relative to this descriptor; AT_FDCWD; the socket */
	uint64_t path;
	uint32_t rights; /* enum landlock_right; what the call needs */
	bool makes; /* the name need not be there, what holds it must */
	bool link; /* itself, not what it leads to */
	bool address; /* no path but an address, of this size */
	uint64_t size;
};

/* The names of all of them, for the filter. */
struct oci_strings why_calls_names(void);
void why_map_make(uint32_t arch, struct why_map *ret);
/* NULL: not one of them. */
const struct why_call *why_find(const struct why_map *map, uint64_t number);
const char *why_call_name(const struct why_call *call);
/* Where openat2 has its flags; 0: not that call. */
uint64_t why_flags_at(const struct why_call *call, const uint64_t args[6]);
/* How many targets; flags: of openat2, as they were read. */
int why_decode(const struct why_call *call, const uint64_t args[6],
	       uint64_t flags, struct why_target ret[WHY_TARGETS]);
