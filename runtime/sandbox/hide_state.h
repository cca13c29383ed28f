/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/hide_state.h - hide records of the runtime from every
 * sandbox.
 */
#pragma once

struct arena;
struct enforce_input;

/*
 * Add the paths at which records of sandboxes (root), of containers, of
 * placeholders and of branches would be visible inside, so that they are covered.
 */
int sandbox_hide_state(struct arena *arena, const char *root,
		       struct enforce_input *input);
