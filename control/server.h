/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control/server.h - the server of the control protocol: a socket in a state
 * directory, served by the event loop of the process that stays.
 *
 * It never waits for a client, and its memory is bounded: a client that sends
 * too much, is silent or does not read is closed. Without clients and events it
 * has no memory besides the struct.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/message.h"
#include "control/recent.h"

struct loop;
struct writer;

#define CONTROL_SOCKET "control" /* in the state directory */
#define CONTROL_CLIENTS 8
#define CONTROL_MAX_FDS 4
/* Milliseconds: for one message, between two, to read what was sent. */
#define CONTROL_MESSAGE_MS 10000
#define CONTROL_IDLE_MS 60000

struct control_call {
	const struct control_request *request;
	struct arena *arena; /* until the answer is written */
	int *fds; /* descriptors of the request; the verb may take_fd them */
	size_t nfds;
};

struct control_verb {
	const char *name;
	/* Write the members of the result; a failure becomes the answer. */
	int (*answer)(void *user, const struct control_call *call,
		      struct writer *w);
	bool streams; /* the client gets events from now on */
	bool takes_arguments;
	size_t nfds; /* how many descriptors a request carries */
};

struct control_setup {
	struct loop *loop;
	int dir;     /* the state directory */
	uid_t owner; /* may connect, besides root */
	const struct control_verb *verbs;
	size_t nverbs;
	void *user; /* for the verbs */
};

struct control_client;

struct control_server {
	struct control_setup setup;
	int fd;		      /* -1: lets no clients in */
	int source, timer;    /* in the loop */
	int64_t accepts_at;   /* when it accepts again; 0: it does */
	uint64_t published;   /* events so far */
	struct recent recent; /* the latest of them */
	struct control_client *clients[CONTROL_CLIENTS];
};

#define CONTROL_SERVER_NONE                         \
	{                                           \
		.fd = -1, .source = -1, .timer = -1 \
	}

/*
 * Listen on CONTROL_SOCKET; replace what an earlier server left there. *ret
 * must not move until it is closed.
 */
int control_server_open(const struct control_setup *setup,
			struct control_server *ret);
/*
 * Send an event, a JSON object as text, to each client that streams, and keep it
 * for those who ask for events later.
 */
void control_publish(struct control_server *server, const char *event);
size_t control_clients(const struct control_server *server);
/* Let no more clients in, and remove the socket; the clients stay. */
void control_server_withdraw(struct control_server *server);
/* End the streams, close all clients and remove the socket. */
void control_server_close(struct control_server *server);
