/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/trace_calls.h - what system calls want of which path. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "oci/oci.h"

#define TRACE_MOST_CALLS 512
#define TRACE_TARGETS 2

struct trace_call;

/* Which numbers one architecture gives to the calls that are looked at. */
struct trace_map {
	uint32_t arch;
	const struct trace_call *calls[TRACE_MOST_CALLS];
};

/* A path that a call names, still in the memory of its process. */
struct trace_target {
	int dir; /* relative to this descriptor; AT_FDCWD; the socket */
	uint64_t path;
	uint32_t rights; /* enum landlock_right; what the call needs */
	bool makes;	 /* the name need not be there, what holds it must */
	bool link;	 /* itself, not what it leads to */
	bool address;	 /* no path but an address, of this size */
	uint64_t size;
};

/* The names of all of them, for the filter. */
struct strings trace_calls_names(void);
void trace_map_make(uint32_t arch, struct trace_map *ret);
/* NULL: not one of them. */
const struct trace_call *trace_find(const struct trace_map *map,
				    uint64_t number);
const char *trace_call_name(const struct trace_call *call);
/* Where openat2 has its flags; 0: not that call. */
uint64_t trace_flags_at(const struct trace_call *call, const uint64_t args[6]);
/* How many targets; flags: of openat2, as they were read. */
int trace_decode(const struct trace_call *call, const uint64_t args[6],
		 uint64_t flags, struct trace_target ret[TRACE_TARGETS]);
