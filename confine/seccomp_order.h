/* SPDX-License-Identifier: Apache-2.0 */
/* confine/seccomp_order.h - order rules for one number as libseccomp does. */
#pragma once

#include <stdint.h>

#include "confine/bpf.h"

struct arena;

struct call_rule {
	struct bpf_rule rule;
	struct call_rule *next;
};

/* A number and its rules, in the order of the profile. */
struct call {
	uint32_t number;
	uint32_t nrules;
	struct call_rule *first;
	struct call_rule *last;
};

/*
 * Set the rules of the range, in the order in which they are checked. The first
 * rule without comparisons overrides all others.
 */
int seccomp_order(struct arena *arena, const struct call *call,
		  struct bpf_range *range);
