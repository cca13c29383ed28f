/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/kill.h - a signal to a container, for both programs' `kill`. */
#pragma once

#include <stdbool.h>

#include "runtime/container/container.h"

struct arena;

/* "9", "KILL", "SIGKILL", and "-9" as kill(1) has it. */
int kill_parse(const char *text);
/*
 * To its init; to every process if all of them are meant, or if init would not
 * take them with it. -ESRCH when it does not run.
 */
int kill_signal(struct arena *arena, const struct container *container, int sig,
		bool all);
