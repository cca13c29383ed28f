/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/hide_state.h - what no sandbox shows, whatever is listed. */
#pragma once

struct arena;
struct enforce_input;

/*
 * Note where the records of sandboxes (root), of containers and of
 * placeholders would be seen inside, to be covered.
 */
int sandbox_hide_state(struct arena *arena, const char *root,
		       struct enforce_input *input);
