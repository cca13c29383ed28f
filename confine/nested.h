/* SPDX-License-Identifier: Apache-2.0 */
/* confine/nested.h - a policy where we are in a container ourselves. */
#pragma once

struct arena;
struct host;
struct policy;

/* program.weaker_nested: what may be missing where we are in a container. */
int nested_weaken(struct arena *arena, struct host *host,
		  struct policy *policy);
