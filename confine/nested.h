/* SPDX-License-Identifier: Apache-2.0 */
/* confine/nested.h - whether we are in a container ourselves. */
#pragma once

struct arena;
struct policy;

/*
 * How one can tell ("/run/.containerenv"), NULL when nothing says so. A
 * user namespace that is not the first one is one, too.
 */
int nested_container(struct arena *arena, const char **ret);
/* program.weaker_nested: what may be lacking where we are in a container. */
int nested_weaken(struct arena *arena, struct policy *policy);
