/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/segments.h - rules as the kernel's routing can hold them: for each
 * protocol, ranges of ports that do not overlap, and for each range prefixes
 * of which the longest one decides.
 */
#pragma once

#include <stddef.h>

#include "network/rules.h"

struct arena;

struct net_entry {
	struct net_prefix to;
	bool allowed;
};

struct net_segment {
	enum net_protocol protocol;
	struct net_ports ports; /* 1 to 65535 for ICMP */
	const struct net_entry *entries;
	size_t n;
};

struct net_segments {
	struct net_segment *items; /* in the order of protocols and ports */
	size_t n;
};

/*
 * Make the segments of one family. What no segment contains, and what no entry
 * of its segment contains, is denied. Rules with "*." have segments without
 * entries of theirs: addresses are added while the sandbox runs.
 */
int net_segments_make(struct arena *arena, const struct net_rules *rules,
		      sa_family_t family, struct net_segments *ret);
/* Apply segments as the kernel does. */
bool net_segments_allow(const struct net_segments *segments,
			const struct net_question *question);
