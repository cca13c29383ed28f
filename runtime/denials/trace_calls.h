/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/denials/trace_calls.h - the paths that system calls use, and how. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "oci/oci.h"

#define TRACE_MOST_CALLS 512
#define TRACE_TARGETS 2

struct trace_call;

/* The traced calls by their numbers on one architecture. */
struct trace_map {
	uint32_t arch;
	const struct trace_call *calls[TRACE_MOST_CALLS];
};

/* A path that a call names, in the memory of its process. */
struct trace_target {
	int dir; /* base descriptor, AT_FDCWD, or the socket */
	uint64_t path;
	uint32_t rights; /* enum landlock_right: what the call needs */
	bool makes;	 /* the file need not exist, its directory must */
	bool link;	 /* the link itself, not its target */
	bool name;	 /* it makes or removes a name */
	int access;	 /* R_OK, W_OK, X_OK: what the mode must permit */
	bool owner;	 /* only the owner of the file may do it */
	bool chown;	 /* uid and gid: the new ones */
	uint32_t uid, gid;
	bool address; /* an address of this size, not a path */
	uint64_t size;
};

/* Return the names of all of them, for the filter. */
struct strings trace_calls_names(void);
void trace_map_make(uint32_t arch, struct trace_map *ret);
/* Return NULL if the call is not traced. */
const struct trace_call *trace_find(const struct trace_map *map,
				    uint64_t number);
const char *trace_call_name(const struct trace_call *call);
/* Return the address of the flags of openat2; 0 for other calls. */
uint64_t trace_flags_at(const struct trace_call *call, const uint64_t args[6]);
/* Get the targets of a call; return how many. flags: of openat2. */
int trace_decode(const struct trace_call *call, const uint64_t args[6],
		 uint64_t flags, struct trace_target ret[TRACE_TARGETS]);
