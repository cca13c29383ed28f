/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/attached.h - a container in the foreground of the command that made it. */
#pragma once

#include <stdbool.h>

#include "runtime/container/create.h"
#include "runtime/launch/console.h"
#include "runtime/launch/foreground.h"
#include "runtime/launch/sd_notify.h"

/* Everything it holds besides the container itself. */
struct front {
	struct foreground foreground;
	struct console console;
	struct notify notify;
	bool has_console;
	bool no_input; /* to the terminal */
	uint64_t timeout_ms; /* 0: none */
	/* As foreground_job. */
	bool stops_us;
	int *signal;
	void (*traced)(void *user, const siginfo_t *info);
	void *user;
	void (*heard)(void *listener);
	void *listener;
	int ear;
};

#define FRONT_NONE                                                      \
	{                                                               \
		.foreground = FOREGROUND_NONE, .console = CONSOLE_NONE, \
		.notify = NOTIFY_NONE,                                  \
	}
#define autofront AUTO(front_close)

/* Before the first process: signals and orphans are ours, unless detached. */
int front_prepare(const struct creation *creation, struct front *front);
/* The terminal, where there is one and it was not sent away. */
int front_open_console(struct creation *creation, struct front *front);
/* Until the program ends: its status. */
int front_stay(const struct creation *creation, struct front *front);
/* Then the container goes, too, unless --keep. */
int front_clear(struct creation *creation);
/* Both; the status. */
int front_wait(struct creation *creation, struct front *front);
void front_close(struct front *front);
