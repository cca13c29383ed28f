/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/kill.h - signal a container, for `kill` of both programs.
 */
#pragma once

#include <stdbool.h>

#include "runtime/container/container.h"

struct arena;

/* Parse "9", "KILL", "SIGKILL", or "-9" as in kill(1). */
int kill_parse(const char *text);
/*
 * Signal init, or every process if `all` is set, or if the others would survive
 * init. -ESRCH if the container does not run.
 */
int kill_signal(struct arena *arena, const struct container *container, int sig,
		bool all);
