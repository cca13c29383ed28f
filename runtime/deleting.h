/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/deleting.h - the end of a container, for `delete` and for `run`. */
#pragma once

#include "runtime/container.h"

struct arena;

/* End what still runs, remove what was made, run the poststop hooks. */
int deleting_remove(struct arena *arena, struct container *container);
