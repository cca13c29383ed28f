/* SPDX-License-Identifier: Apache-2.0 */
/* confine/nested.h - relax a policy inside a container. */
#pragma once

struct arena;
struct host;
struct policy;

/* program.weaker_nested: allow protections to be missing in a container. */
int nested_weaken(struct arena *arena, struct host *host,
		  struct policy *policy);
