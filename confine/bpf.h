/* SPDX-License-Identifier: Apache-2.0 */
/* confine/bpf.h - compile tables of call numbers to one classic BPF program. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oci/oci.h"

struct arena;

/*
 * (argument & mask) OP value; value has no bits outside of mask. Narrow
 * comparisons only use the low word, like 32-bit programs.
 */
struct bpf_cmp {
	uint32_t arg;
	enum oci_seccomp_op op;
	bool narrow;
	uint64_t mask;
	uint64_t value;
};

/* An action to take if all comparisons are true. */
struct bpf_rule {
	const struct bpf_cmp *cmps;
	uint32_t ncmps;
	uint32_t action;
};

/*
 * Calls from `first` up to the next range: the first rule that matches applies,
 * else `otherwise`.
 */
struct bpf_range {
	uint32_t first;
	uint32_t otherwise;
	const struct bpf_rule *rules;
	size_t nrules;
};

/* Ranges are ascending and the first one starts at 0. */
struct bpf_arch {
	uint32_t audit_arch;
	const struct bpf_range *ranges;
	size_t nranges;
};

/*
 * Compile a search tree over the ranges of each architecture. Architectures are
 * checked in the order given; any other gets the action bad_arch.
 */
int bpf_generate(struct arena *arena, const struct bpf_arch *archs, size_t n,
		 uint32_t bad_arch, struct sock_filter **ret_code,
		 size_t *ret_len);
