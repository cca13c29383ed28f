/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/attached.h - a container in the foreground of the command that made it. */
#pragma once

#include <stdbool.h>

#include "runtime/container/create.h"
#include "runtime/launch/console.h"
#include "runtime/launch/foreground.h"
#include "runtime/launch/sd_notify.h"

/* Everything it holds besides the container itself. */
struct attached {
	struct foreground foreground;
	struct console console;
	struct sd_notify notify;
	bool has_console;
	bool no_input;	     /* to the terminal */
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

#define ATTACHED_NONE                                                   \
	{                                                               \
		.foreground = FOREGROUND_NONE, .console = CONSOLE_NONE, \
		.notify = SD_NOTIFY_NONE,                               \
	}
#define autoattached AUTO(attached_close)

/* Before the first process: signals and orphans are ours, unless detached. */
int attached_prepare(const struct prepared *prepared,
		     struct attached *attached);
/* The terminal, where there is one and it was not sent away. */
int attached_open_console(struct creation *creation, struct attached *attached);
/* Until the program ends: its status. */
int attached_stay(const struct creation *creation, struct attached *attached);
/* Then the container goes, too, unless --keep. */
int attached_clear(struct creation *creation);
/* Both; the status. */
int attached_wait(struct creation *creation, struct attached *attached);
void attached_close(struct attached *attached);
