/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control/sandbox.h - the control socket of one sandbox: its verbs and its
 * events, for every process that stays with a sandbox.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "control/server.h"

struct event;

struct control_sandbox {
	struct control_server server;
	const char *id; /* of the container, or the name of the sandbox */
	pid_t init;
	int64_t opened; /* as now_ms() counts */
	/*
	 * Take up the saved policy after an update, and write the names of the
	 * keys that are in use now into an open array; NULL: none can change.
	 */
	int (*update)(void *user, struct writer *w);
	void *user;
	/* Serve a seccomp listener, and take the descriptor; NULL: none. */
	int (*listen)(void *listens, int listener);
	void *listens;
	/* Write the published ports into an open array; NULL: none. */
	void (*ports)(const void *of, struct writer *w);
	const void *ports_of;
};

#define CONTROL_SANDBOX_NONE                   \
	{                                      \
		.server = CONTROL_SERVER_NONE, \
	}

/*
 * Open the socket in the state directory of the sandbox; id, init, update and
 * user of *sandbox are set. It must not move until it is closed.
 */
int control_sandbox_open(struct control_sandbox *sandbox, struct loop *loop,
			 int dir, uid_t owner);
/*
 * Publish an event, with the id of the sandbox: to clients that stream, and to
 * those that will ask. Does nothing if the socket was not opened.
 */
void control_sandbox_publish(struct control_sandbox *sandbox,
			     const struct event *event);
/* The sandbox has ended: let no more clients in, and remove the socket. */
void control_sandbox_withdraw(struct control_sandbox *sandbox);
void control_sandbox_close(struct control_sandbox *sandbox);
