/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/attached.h - a container in the foreground of the command
 * that created it.
 */
#pragma once

#include <stdbool.h>

#include "base/loop.h"
#include "runtime/container/create.h"
#include "runtime/launch/console.h"
#include "runtime/launch/foreground.h"
#include "runtime/launch/sd_notify.h"

struct event;

/* The resources of the foreground, besides the container itself. */
struct attached {
	struct foreground foreground;
	struct console console;
	struct sd_notify notify;
	bool has_console;
	bool no_input;	     /* do not read the terminal */
	uint64_t timeout_ms; /* 0: none */
	/* See struct foreground_job. */
	bool forward_tstp;
	int *signal;
	void (*traced)(void *user, const siginfo_t *info);
	void *user;
	/* Called for what happens meanwhile; NULL: not. */
	void (*publish)(void *ctx, const struct event *event);
	void *ctx;
	char *lost;	  /* why the program was killed; NULL: it was not */
	struct loop loop; /* what else to wait for while the program runs */
};

#define ATTACHED_NONE                                                   \
	{                                                               \
		.foreground = FOREGROUND_NONE, .console = CONSOLE_NONE, \
		.notify = SD_NOTIFY_NONE, .loop = LOOP_NONE,            \
	}
#define autoattached AUTO(attached_close)

/*
 * Call this before the first process: unless detached, forward signals and reap
 * orphans.
 */
int attached_prepare(const struct prepared *prepared,
		     struct attached *attached);
/* Take over the terminal, if there is one and it was not sent to a socket. */
int attached_open_console(struct creation *creation, struct attached *attached);
/* Wait until the program ends; return its status. */
int attached_stay(struct creation *creation, struct attached *attached);
/*
 * Delete the container, unless --keep was given. Fails if the program was killed
 * because its policy could no longer be enforced.
 */
int attached_clear(struct creation *creation, const struct attached *attached);
/* Wait, then delete the container; return the status. */
int attached_wait(struct creation *creation, struct attached *attached);
void attached_close(struct attached *attached);
