/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control/client_state.h - a client of the server, private to control/: its
 * bytes on the way in and out, and until when it must go on.
 */
#pragma once

#include "control/frame.h"
#include "control/server.h"

/* The longest answer, and events while the client does not read. */
#define OUT_SIZE (2 * (FRAME_HEADER + FRAME_MAX_ANSWER))

struct control_client {
	struct control_server *server;
	int fd;
	int source; /* in the loop */
	bool greeted;
	bool leaves; /* closed when everything was sent */
	bool streams;
	uint64_t stream; /* the id of the request for events */
	uint64_t lost;	 /* events that did not fit */
	int64_t go_on;	 /* when its message must be complete; 0: any time */
	int64_t read_on; /* when it must have read something; 0: any time */
	int fds[CONTROL_MAX_FDS];
	size_t nfds;
	size_t nin, nout;
	char in[FRAME_HEADER + FRAME_MAX_REQUEST];
	char out[OUT_SIZE];
};

/* Add one; NULL if that fails, and then the descriptor is closed. */
struct control_client *client_open(struct control_server *server, int fd);
void client_close(struct control_client *client);
/*
 * Read, answer and send as far as that is possible now; close the client if it
 * is done. The pointer is invalid afterwards if the client was closed.
 */
void client_serve(struct control_client *client, bool readable);
/* Put an error into its output, and close it when that was sent. */
void client_refuse(struct control_client *client, enum control_code code,
		   const char *why);
/* Put a message into its output; false if there is no space. */
bool client_put(struct control_client *client, const char *text, size_t len);
/* Put an event, or count it as lost. */
void client_put_event(struct control_client *client, struct arena *arena,
		      const char *event);
/* When it must do something, as now_ms() counts; 0: never. */
int64_t client_deadline(const struct control_client *client);
/* Set the timer of the server to the first deadline of its clients. */
void server_set_timer(struct control_server *server);

/* answer.c: answer one message, whose text this is. */
void client_answer(struct control_client *client, const char *text, size_t len);
